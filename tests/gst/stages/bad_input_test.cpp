// SPDX-License-Identifier: LGPL-2.1-or-later
// What a user does wrong gets a message that says what to do.
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

// Starting fails with this message.
void expect_no_start(const std::string& middle, const std::string& message) {
  SCOPED_TRACE(middle);
  Stream stream(middle);
  EXPECT_EQ(gst_element_set_state(stream.pipeline(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text, message);
  EXPECT_EQ(stream.messages.all(GST_MESSAGE_ERROR).size(), 1U);
}

// The first frame ends the stream with a message that starts so.
std::string error_of_frames(const std::string& middle) {
  Stream stream(middle);
  stream.play();
  stream.push(0, 3);
  stream.end();
  const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
  // The source says on its own that it cannot go on.
  for (const Message& other : stream.messages.all(GST_MESSAGE_ERROR))
    EXPECT_TRUE(other.text == text || other.source == "source") << other.text;
  return text;
}

std::string with_model(const std::string& path) {
  return "tandembin.( name=tandembin0 vividfilter model=" + path +
         " ! vividhistogram ! vividclassifier )";
}

TEST(BadChain, EmptyBin) {
  expect_no_start(
      "tandembin",
      "tandembin is empty: put stages into it, as in \"tandembin.( STAGE ! STAGE )\", or "
      "set its 'stages' property.");
}

TEST(BadChain, ForeignElement) {
  expect_no_start("tandembin.( vividfilter ! identity name=stranger ! vividhistogram )",
                  "tandembin holds Tandem stages only, but 'stranger' (identity) is not one: put "
                  "it before or after the bin.");
}

TEST(BadChain, AForeignElementOpensNoFile) {
  const std::string file = testing::TempDir() + "/tandem_kept_" + std::to_string(getpid());
  const std::string problem =
      "tandembin holds Tandem stages only, but 'stranger' (filesink) is not one: put it before or "
      "after the bin.";
  std::ofstream(file) << "kept";
  expect_no_start("tandembin stages=\"filesink name=stranger location=" + file + "\"", problem);
  EXPECT_EQ(std::filesystem::file_size(file), 4U);

  Stream stream("tandembin.( name=tandembin0 vividfilter )");
  GstElement* stranger = gst_element_factory_make("filesink", "stranger");
  g_object_set(stranger, "location", file.c_str(), nullptr);
  gst_bin_add(GST_BIN(stream.tandembin()), stranger);
  EXPECT_EQ(gst_element_set_state(stream.pipeline(), GST_STATE_READY), GST_STATE_CHANGE_FAILURE);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text, problem);
  EXPECT_EQ(std::filesystem::file_size(file), 4U);
  std::filesystem::remove(file);
}

TEST(BadChain, StagesThatAreNotOneChain) {
  Stream stream("tandembin name=tandembin0");
  for (const char* factory : {"vividfilter", "vividhistogram", "vividclassifier"})
    gst_bin_add(GST_BIN(stream.tandembin()), gst_element_factory_make(factory, factory));
  gst_element_link(stream.element("vividfilter"), stream.element("vividhistogram"));
  EXPECT_EQ(gst_element_set_state(stream.pipeline(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
  EXPECT_EQ(text.rfind("The stages inside tandembin are not one chain: '", 0), 0U) << text;
}

TEST(BadChain, StagesInTheWrongOrder) {
  EXPECT_EQ(error_of_frames("tandembin.( vividhistogram ! vividfilter ! vividclassifier )"),
            "vividhistogram needs the tensor 'vivid-index', which vividfilter makes: put "
            "vividfilter before vividhistogram.");
  EXPECT_EQ(error_of_frames("tandembin.( vividfilter ! vividclassifier )"),
            "vividclassifier needs the tensor 'vivid-histogram', which vividhistogram makes: put "
            "vividhistogram before vividclassifier.");
}

TEST(BadChain, AStageAloneWithoutWhatItNeeds) {
  EXPECT_EQ(error_of_frames("vividhistogram device=cpu"),
            "vividhistogram needs the tensor 'vivid-index', which vividfilter makes: put "
            "vividfilter before vividhistogram.");
}

TEST(BadChain, ADescriptionThatCannotBeMade) {
  expect_no_start("tandembin stages=\"vividfliter ! vividhistogram\"",
                  "The stages \"vividfliter ! vividhistogram\" cannot be created: no element "
                  "\"vividfliter\".");
}

// Upstream is refused once the reason is told: its own "Internal data stream error." comes second,
// however long whoever listens takes over the first.
TEST(BadChain, TheReasonIsTheFirstError) {
  Stream stream("tandembin.( name=tandembin0 vividfilter ! vividclassifier )");
  struct Heard {
    std::mutex mutex;
    std::vector<std::string> sources;
  } heard;
  const auto hear = [](GstBus*, GstMessage* message, gpointer user_data) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
      const std::string source = GST_OBJECT_NAME(GST_MESSAGE_SRC(message));
      if (source == "tandembin0") g_usleep(100 * 1000);
      auto* to = static_cast<Heard*>(user_data);
      std::lock_guard lock(to->mutex);
      to->sources.push_back(source);
    }
    return GST_BUS_PASS;
  };
  const ObjectRef<GstBus> bus(gst_element_get_bus(stream.pipeline()));
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  gst_bus_set_sync_handler(bus.get(), hear, &heard, nullptr);
  stream.play();
  stream.push(0, 200);
  for (int error = 0; error < 2; ++error) {
    GstMessage* message = gst_bus_timed_pop_filtered(bus.get(), 30 * GST_SECOND, GST_MESSAGE_ERROR);
    ASSERT_TRUE(message);
    gst_message_unref(message);
  }
  gst_bus_set_sync_handler(bus.get(), nullptr, nullptr, nullptr);
  EXPECT_EQ(heard.sources, (std::vector<std::string>{"tandembin0", "source"}));
}

TEST(BadModel, Missing) {
  const std::string path = temporary_folder() + "/nowhere.vivid";
  for (const std::string& line : {with_model(path), "vividfilter device=cpu model=" + path}) {
    const std::string text = error_of_frames(line);
    EXPECT_NE(text.find(path), std::string::npos) << text;
  }
}

TEST(BadModel, Damaged) {
  const std::string path = temporary_folder() + "/damaged.vivid";
  std::filesystem::copy_file(model_file(), path, std::filesystem::copy_options::overwrite_existing);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(200);
    file.write("\x55\xAA\x55\xAA", 4);
  }
  const std::string text = error_of_frames(with_model(path));
  EXPECT_NE(text.find(path), std::string::npos) << text;
  EXPECT_NE(text.find("checksum"), std::string::npos) << text;
}

TEST(BadModel, AnotherOneForEachStage) {
  const std::string text = error_of_frames("tandembin.( vividfilter model=" + other_model_file(16) +
                                           " ! vividhistogram ! vividclassifier )");
  EXPECT_EQ(text,
            "vividclassifier's model '" + model_file() +
                "' has 20 filters, but the model of vividfilter has 16: set the same `model` on "
                "both.");
}

TEST(BadConfiguration, AtTheStartItIsAnError) {
  expect_no_start(bin("mapping=gg"),
                  "mapping 'gg' has 2 letters, but there are 3 stages: write one letter a stage, g "
                  "(device) or c (CPU)");
  expect_no_start(bin("mapping=gxc"),
                  "mapping 'gxc' has the letter 'x': only g, h, i (devices) and c (CPU) are "
                  "known");
  expect_no_start(bin("threads=4"), "threads=4 is out of range: 1 to 3 (cores + 1), or 0 for auto");
}

TEST(BadConfiguration, WhilePlayingItIsAWarningAndTheStreamGoesOn) {
  Stream stream(bin("threads=2"));
  stream.play();
  stream.push(0, 2);
  EXPECT_EQ(stream.pull(2).size(), 2U);
  g_object_set(stream.tandembin(), "threads", 9, nullptr);
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_WARNING).text,
            "The configuration is unchanged: threads=9 is out of range: 1 to 3 (cores + 1), or 0 "
            "for auto.");
  g_object_set(stream.tandembin(), "threads", 2, "mapping", "cc", nullptr);
  EXPECT_EQ(stream.messages.all(GST_MESSAGE_WARNING).size(), 2U);
  stream.push(2, 6);
  stream.end();
  EXPECT_EQ(stream.pull_all().size(), 4U);
  EXPECT_EQ(stream.configuration(), "ccc/cg2");
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_ERROR).empty());
}

TEST(BadCaps, AFormatThatIsNotSupportedIsNotNegotiated) {
  for (const std::string& middle : {bin(), stages_alone()}) {
    Stream stream(middle, {160, 208}, "RGB");
    stream.play();
    stream.push(0, 2);
    stream.messages.wait(GST_MESSAGE_ERROR);
    EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  }
}

TEST(BadCaps, FramesSmallerThanAWindowPassWithOneWarning) {
  constexpr int kFrames = 8;
  for (const std::string& middle : {bin("threads=3"), stages_alone()}) {
    struct Case {
      Size size;
      std::string setting;
    };
    const std::string by = ", or set vividfilter first-scale=";
    for (const auto& [size, setting] : {Case{{65, 200}, by + "0.98"}, Case{{200, 100}, by + "0.76"},
                                        Case{{40, 32}, ""}, Case{{5, 4}, ""}, Case{{1, 1}, ""}}) {
      SCOPED_TRACE(middle + " " + caps_text(size));
      Stream stream(middle, size);
      const std::vector<Result> results = stream.run(kFrames);
      ASSERT_EQ(indices(results), count_to(kFrames));
      for (int i = 0; i < kFrames; ++i) {
        EXPECT_EQ(results[i].pixels, pixels(i, size));
        EXPECT_TRUE(results[i].boxes.empty());
      }
      const std::vector<Message> warnings = stream.messages.all(GST_MESSAGE_WARNING);
      ASSERT_EQ(warnings.size(), 1U);
      EXPECT_EQ(warnings[0].text, "No object can be found in frames of " +
                                      std::to_string(size.width) + "x" +
                                      std::to_string(size.height) +
                                      ": at least 66x130 pixels are needed. Put videoscale before "
                                      "the stages" +
                                      setting + ".");
    }
  }
}

TEST(BadCaps, OtherSettingsDoNotRepeatTheWarning) {
  const std::string stages = "vividfilter ! vividhistogram ! vividclassifier name=last";
  for (const std::string& middle : {bin_of(stages, "threads=2"), stages}) {
    SCOPED_TRACE(middle);
    Stream stream(middle, {63, 200});
    stream.play();
    for (int i = 0; i < 3; ++i) {
      g_object_set(stream.element("last"), "threshold", 0.5 + 0.1 * i, nullptr);
      stream.push(i, i + 1);
      EXPECT_EQ(stream.pull(1).size(), 1U);
    }
    EXPECT_EQ(stream.messages.all(GST_MESSAGE_WARNING).size(), 1U);
  }
}

TEST(BadCaps, TheSettingThatAWarningNamesHelps) {
  for (const auto& [size, scale] : {std::pair<Size, const char*>{{65, 200}, "0.98"},
                                    {{200, 100}, "0.76"},
                                    {{64, 128}, "0.96"}}) {
    SCOPED_TRACE(caps_text(size));
    Stream smaller(stages_alone(std::string("scales=1 first-scale=") + scale), size);
    smaller.run(1);
    EXPECT_TRUE(smaller.messages.all(GST_MESSAGE_WARNING).empty());
  }
  Stream larger(stages_alone("first-scale=2"), {120, 300});
  larger.run(1);
  EXPECT_EQ(larger.messages.wait(GST_MESSAGE_WARNING).text,
            "No object can be found in frames of 120x300: at least 131x259 pixels are needed. Put "
            "videoscale before the stages, or set vividfilter first-scale=1.81.");
  Stream just(stages_alone("first-scale=2 scales=1"), {131, 259});
  just.run(1);
  EXPECT_TRUE(just.messages.all(GST_MESSAGE_WARNING).empty());
}

TEST(BadCaps, ABufferSmallerThanItsCapsIsAnError) {
  for (const std::string& middle : {bin(), stages_alone()}) {
    SCOPED_TRACE(middle);
    Stream stream(middle);
    stream.play();
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, 100, nullptr);
    gst_buffer_memset(buffer, 0, 0, 100);
    stream.push_buffer(buffer);
    const std::string text = stream.messages.wait(GST_MESSAGE_ERROR).text;
    EXPECT_EQ(text.rfind("A frame cannot be mapped into memory", 0), 0U) << text;
  }
}

}  // namespace
}  // namespace tandem::test
