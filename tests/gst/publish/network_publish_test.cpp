// SPDX-License-Identifier: LGPL-2.1-or-later
// What a network finds, as lines that arrive at a broker.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/gst/publish/publishing.h"
#include "tests/gst/publish/real_broker.h"
#include "tests/gst/support/network_model.h"

namespace tandem::test {
namespace {

constexpr int kFrames = 6;
constexpr Size kSize{kPersonFrameWidth, kPersonFrameHeight};

class NetworkOverBroker : public testing::TestWithParam<const char*> {};

TEST_P(NetworkOverBroker, FindingsArrive) {
  const auto broker = real_broker(GetParam());
  if (!broker) GTEST_SKIP() << "needs a broker for " << GetParam() << ": mosquitto or redis-server";
  broker->start();
  broker->begin_to_read();
  const std::string model = " model=" + person_network_file(temporary_folder() + "/person.onnx");
  Stream stream(bin_of("dnninput" + model + " ! dnnstage" + model + " ! dnnboxes" + model) +
                    " ! tee name=split ! queue ! tandemmeta2json source-id=gate ! tandempublish "
                    "drain-timeout=60 location=" +
                    broker->location() + " " + broker->properties() + " split. ! queue",
                kSize);
  for (int i = 0; i < kFrames; ++i) stream.push_buffer(timed_frame(i, person_frame(i)));
  stream.play();
  stream.end();
  EXPECT_EQ(stream.pull_all().size(), static_cast<std::size_t>(kFrames));
  std::vector<std::string> received;
  EXPECT_TRUE(comes_true([&] {
    received = first_arrivals(broker->received());
    return received.size() >= kFrames;
  }));
  ASSERT_EQ(received.size(), static_cast<std::size_t>(kFrames));
  for (int i = 0; i < kFrames; ++i) {
    const auto line = nlohmann::json::parse(received[static_cast<std::size_t>(i)]);
    EXPECT_EQ(line.at("source"), "gate");
    EXPECT_EQ(line.at("frame"), i);
    ASSERT_EQ(line.at("detections").size(), 1U) << line.dump();
    const auto& found = line.at("detections")[0];
    const PersonBox wanted(i);
    EXPECT_EQ(found.at("label"), "person");
    EXPECT_NEAR(found.at("confidence").get<double>(), kPersonConfidence, 1e-3);
    EXPECT_EQ(std::tuple(found.at("x"), found.at("y"), found.at("w"), found.at("h")),
              std::tuple(wanted.x, wanted.y, wanted.width, wanted.height));
  }
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

INSTANTIATE_TEST_SUITE_P(Real, NetworkOverBroker, testing::Values("mqtt", "redis"),
                         [](const auto& protocol) { return std::string(protocol.param); });

}  // namespace
}  // namespace tandem::test
