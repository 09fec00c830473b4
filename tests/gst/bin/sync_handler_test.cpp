// SPDX-License-Identifier: LGPL-2.1-or-later
// An application that sets properties of the bin in a sync handler, on the thread that posts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>

#include "gst/bin/appcontexts.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

// A deadlock cannot be undone: the program ends, and says where.
void run_watched(const std::string& what, const std::function<void()>& work) {
  constexpr auto kPatience = std::chrono::seconds(60);
  std::promise<void> done;
  std::future<void> finished = done.get_future();
  std::thread watchdog([&] {
    if (finished.wait_for(kPatience) == std::future_status::ready) return;
    std::fprintf(stderr, "[  FAILED  ] hangs: %s\n", what.c_str());
    std::fflush(nullptr);
    std::_Exit(1);
  });
  work();
  done.set_value();
  watchdog.join();
}

struct Property {
  const char *name, *value;
};
constexpr Property kProperties[] = {
    {"mapping", "ggg"},        {"mapping", "gcg"},
    {"threads", "2"},          {"granularity", "mg"},
    {"metric", "energy"},      {"target-fps", "5"},
    {"power-budget", "1"},     {"adapt", "both"},
    {"max-overhead", "0.3"},   {"keep-tensors", "true"},
    {"cpu-fallback", "false"}, {"opencl-device", "any"},
    {"energy-source", "none"}, {"tdp", "20"},
};

// The messages of the bin, and what of them the handler answers with.
struct Wanted {
  GstMessageType type;
  const char* context;  // its type, of NEED_CONTEXT and HAVE_CONTEXT
};

bool is_wanted(GstMessage* message, const Wanted& wanted) {
  if (GST_MESSAGE_TYPE(message) != wanted.type) return false;
  const gchar* type = nullptr;
  if (wanted.type == GST_MESSAGE_NEED_CONTEXT) {
    gst_message_parse_context_type(message, &type);
    return g_str_equal(type, wanted.context);
  }
  return true;
}

/// Calls `handle` on the thread that posts, for each message of the pipeline, as long as it lives.
class Handled {
 public:
  Handled(Stream& stream, std::function<void(GstMessage*)> handle)
      : bus_(gst_element_get_bus(stream.pipeline())), handle_(std::move(handle)) {
    gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);  // the stream's own
    gst_bus_set_sync_handler(
        bus_,
        [](GstBus*, GstMessage* message, gpointer self) {
          static_cast<Handled*>(self)->handle_(message);
          gst_message_unref(message);
          return GST_BUS_DROP;
        },
        this, nullptr);
  }
  ~Handled() {
    gst_bus_set_sync_handler(bus_, nullptr, nullptr, nullptr);
    gst_object_unref(bus_);
  }
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;

 private:
  GstBus* const bus_;
  const std::function<void(GstMessage*)> handle_;
};

// Plays a stream whose sync handler sets the property on the message, as often as it comes.
// Returns how often that was.
int play(const Wanted& wanted, const Property& property, const std::string& properties) {
  const auto stream =
      Stream::of("appsrc name=source format=time ! " + bin(properties, "name=first scales=1") +
                 " ! appsink name=sink sync=false");
  std::atomic<int> calls{0};
  const Handled handled(*stream, [&](GstMessage* message) {
    if (!is_wanted(message, wanted)) return;
    ++calls;
    gst_util_set_object_arg(G_OBJECT(stream->tandembin()), property.name, property.value);
  });
  stream->play();
  stream->push(0, 3);
  // A device is asked for here.
  gst_util_set_object_arg(G_OBJECT(stream->tandembin()), "mapping", "gcc");
  stream->push(3, 6);
  stream->end();
  EXPECT_EQ(indices(stream->pull_all()), count_to(6));
  stream->set_state(GST_STATE_NULL);
  return calls;
}

class SyncHandler : public testing::TestWithParam<Property> {
 protected:
  // In the state change, with the device asked for at once, and in a property's change later on.
  static void expect_to_play(const Wanted& wanted, std::initializer_list<const char*> starts) {
    for (const std::string start : starts) {
      const std::string what = std::string(gst_message_type_get_name(wanted.type)) + " " +
                               GetParam().name + "=" + GetParam().value + " at " + start;
      SCOPED_TRACE(what);
      run_watched(what, [&] { EXPECT_GT(play(wanted, GetParam(), start), 0); });
    }
  }
};

TEST_P(SyncHandler, WhenADeviceIsAskedFor) {
  expect_to_play({GST_MESSAGE_NEED_CONTEXT, "gst.tandem.opencl.context"},
                 {"mapping=ggg", "mapping=ccc threads=1", "adapt=both"});
}

TEST_P(SyncHandler, WhenADeviceWasOpened) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  expect_to_play({GST_MESSAGE_HAVE_CONTEXT, nullptr},
                 {"mapping=ggg", "mapping=ccc threads=1", "adapt=both"});
}

TEST_P(SyncHandler, WhenAMeterIsAskedFor) {
  expect_to_play({GST_MESSAGE_NEED_CONTEXT, GST_TANDEM_ENERGY_METER_CONTEXT_TYPE}, {"adapt=both"});
}

TEST_P(SyncHandler, WhenADecisionIsTold) {
  expect_to_play({GST_MESSAGE_ELEMENT, nullptr}, {"adapt=both", "adapt=both max-overhead=0"});
}

TEST_P(SyncHandler, WhenTheBinWarns) {
  expect_to_play({GST_MESSAGE_WARNING, nullptr}, {"mapping=ggg opencl-device=none-of-this-name"});
}

TEST_P(SyncHandler, WhenTheLatencyChanges) {
  expect_to_play({GST_MESSAGE_LATENCY, nullptr}, {"mapping=ccc threads=1", "adapt=both"});
}

INSTANTIATE_TEST_SUITE_P(Sets, SyncHandler, testing::ValuesIn(kProperties), [](const auto& each) {
  std::string name = std::string(each.param.name) + "_" + each.param.value;
  std::erase_if(name, [](char c) { return c == '.'; });
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// A property asks for a device, and the stream stops meanwhile: the property is for the next one.
TEST(SyncHandler, AStreamStopsWhileADeviceIsAskedFor) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  run_watched("READY", [] {
    const auto stream =
        Stream::of("appsrc name=source format=time ! " + bin("mapping=ccc threads=1") +
                   " ! appsink name=sink sync=false");
    std::atomic<int> asked{0};
    const Handled handled(*stream, [&](GstMessage* message) {
      if (is_wanted(message, {GST_MESSAGE_NEED_CONTEXT, "gst.tandem.opencl.context"}) &&
          ++asked == 1)
        std::thread([&] { stream->set_state(GST_STATE_READY); }).join();
    });
    stream->play();
    stream->push(0, 3);
    gst_util_set_object_arg(G_OBJECT(stream->tandembin()), "mapping", "ggg");
    EXPECT_EQ(asked, 1);
    std::vector<Result> results = stream->run(3);
    ASSERT_GE(results.size(), 3U);
    results.erase(results.begin(), results.end() - 3);  // appsink keeps in READY what it had before
    EXPECT_EQ(indices(results), count_to(3));
    EXPECT_EQ(stream->stat("frames-device"), 3U);
    stream->set_state(GST_STATE_NULL);
  });
}

// A property that cannot be is set while the device is being opened: whoever opens it finds that it
// cannot apply the properties, and again when the programs are built. The device joins all the
// same, under the rules that were right.
TEST(SyncHandler, WhereWhatIsSetCannotBeTheDeviceJoinsAllTheSame) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  run_watched("mapping=ggggg", [] {
    const auto stream =
        Stream::of("appsrc name=source format=time ! " + bin("adapt=both max-overhead=0.9") +
                   " ! appsink name=sink sync=false");
    std::atomic<int> warnings{0}, opened{0};
    const Handled handled(*stream, [&](GstMessage* message) {
      warnings += GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING;
      if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_HAVE_CONTEXT && ++opened == 1)
        g_object_set(stream->tandembin(), "mapping", "ggggg", nullptr);
    });
    stream->play();
    int frames = 0;
    const auto on_device = [&] {
      return stream->stat("frames-device") + stream->stat("frames-mixed");
    };
    while ((stream->stat("trainings") == 0 || on_device() == 0) && frames < 50'000) {
      stream->push(frames, frames + 10);
      frames += 10;
      EXPECT_EQ(stream->pull(10).size(), 10U);
    }
    EXPECT_GT(stream->stat("trainings"), 0U) << "it waits for the device";
    EXPECT_GT(on_device(), 0U);
    stream->end();
    stream->pull_all();
    stream->set_state(GST_STATE_NULL);
    // The thread that opened the device has ended: it may say last what frames show first.
    EXPECT_EQ(opened, 1);
    EXPECT_EQ(warnings, 3) << "when it is set, when the device is open, when it joins";
  });
}

}  // namespace
}  // namespace tandem::test
