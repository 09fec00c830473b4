// SPDX-License-Identifier: LGPL-2.1-or-later
// The thread that pushes frames decides nothing, and waits for nobody who does.
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "gst/bin/appcontexts.h"
#include "gst/bin/learning/framering.h"
#include "tests/gst/support/decisions.h"
#include "tests/gst/support/own_stages.h"

namespace tandem::test {
namespace {

constexpr Size kSize{16, 16};
constexpr int kFrames = 100;  // that pass meanwhile
constexpr int kManyFrames = 3 * static_cast<int>(bin::FrameRing::kCapacity);

/// A meter of the application, which the bin reads whenever it measures.
class Meter : public EnergyMeter {
 public:
  explicit Meter(std::function<void()> read) : read_(std::move(read)) {
    description_ = {.name = "test", .coverage = "cores", .covers = {true}, .resolution_s = {1e-3}};
  }
  std::optional<EnergyReading> read() override {
    read_();
    const MeterClock::time_point now = MeterClock::now();
    EnergyReading reading;
    reading.c = {1e-9 * static_cast<double>(now.time_since_epoch().count()), now, 0};
    return reading;
  }

 private:
  const std::function<void()> read_;
};

/// A stream through a bin that trains, which knows the thread that pushes.
class Watched {
 public:
  /// `busy`: called by any thread that decides or reports, except before the first frame.
  explicit Watched(std::function<void()> busy) : busy_(std::move(busy)) {
    const ContextRef context(
        bin::energy_meter_context(std::make_shared<Meter>([this] { hear(); })));
    gst_element_set_context(stream_.pipeline(), context.get());
    GstPad* pad = gst_element_get_static_pad(stream_.element("sink"), "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo*, gpointer self) {
          static_cast<Watched*>(self)->frame_left();
          return GST_PAD_PROBE_OK;
        },
        this, nullptr);
    gst_object_unref(pad);
    stream_.play();
  }
  ~Watched() { stream_.set_state(GST_STATE_NULL); }

  Stream& stream() { return stream_; }
  bool pushes() const { return std::this_thread::get_id() == pusher_; }
  int left() const { return left_; }
  /// Fails the test where so many do not come.
  void wait_until_left(int frames) {
    wait([&] { return left_ >= frames; });
  }
  void wait(const std::function<bool()>& done) {
    EXPECT_TRUE(wait_for(std::chrono::seconds(30), done));
  }
  /// Whether kFrames leave from now on. None does while the ring is full, because what the learner
  /// did before took too long.
  bool frames_pass() {
    const int until = left_ + kFrames;
    return wait_for(std::chrono::seconds(1), [&] { return left_ >= until; });
  }
  void notify() {
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }

 private:
  bool wait_for(std::chrono::seconds most, const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, most, done);
  }
  void hear() {
    if (left_ > 0) busy_();
  }
  void frame_left() {
    pusher_ = std::this_thread::get_id();
    ++left_;
    notify();
  }

  const std::function<void()> busy_;
  std::atomic<std::thread::id> pusher_{};
  std::atomic<int> left_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  Stream stream_{
      bin_of("ownstart ! ownadd", "adapt=both max-overhead=0.9 opencl-device=none knowledge=off"),
      kSize};
};

TEST(PushThread, MeasuresNothing) {
  std::atomic<int> reads{0}, pushing{0};
  Watched* self = nullptr;
  Watched watched([&] {
    ++reads;
    pushing += self->pushes();
  });
  self = &watched;
  run_until(watched.stream(), 1);
  EXPECT_GT(reads, 0);
  EXPECT_EQ(pushing, 0);
}

TEST(PushThread, GoesOnWhileAnotherOneMeasures) {
  std::atomic<bool> passed{false};
  Watched* self = nullptr;
  Watched watched([&] {
    if (!passed) passed = self->frames_pass();
  });
  self = &watched;
  for (int pushed = 0; !passed && pushed < 100 * kManyFrames; pushed += kManyFrames) {
    watched.stream().push(pushed, pushed + kManyFrames);
    watched.wait([&] { return passed || watched.left() >= pushed; });
  }
  EXPECT_TRUE(passed);
}

// More frames than the ring holds: the thread that pushes waits, until what it hands over is of no
// use any more.
TEST(PushThread, DoesNotHoldUpAFlush) {
  std::atomic<int> calls{0};
  std::atomic<bool> flushed{false};
  Watched* self = nullptr;
  Watched watched([&] {
    if (++calls == 1) self->wait([&] { return flushed.load(); });
  });
  self = &watched;
  watched.stream().push(0, kManyFrames);
  watched.wait_until_left(static_cast<int>(bin::FrameRing::kCapacity));
  GstElement* source = watched.stream().element("source");
  gst_element_send_event(source, gst_event_new_flush_start());
  gst_element_send_event(source, gst_event_new_flush_stop(TRUE));
  flushed = true;
  watched.notify();
  const int before = watched.left();
  watched.stream().push(0, kFrames);
  watched.wait_until_left(before + kFrames);
}

// A message handler may take its time, and may set properties, which are decisions.
class SlowHandler {
 public:
  explicit SlowHandler(Watched& watched) : watched_(watched) { set(this); }
  ~SlowHandler() { set(nullptr); }
  bool twice() const { return calls_ > 1; }
  bool frames_passed() const { return frames_passed_; }
  bool ever_pushes() const { return pushes_; }

 private:
  void set(SlowHandler* self) {
    GstBus* bus = gst_element_get_bus(watched_.stream().pipeline());
    gst_bus_set_sync_handler(bus, nullptr, nullptr, nullptr);  // the stream's own
    if (self) gst_bus_set_sync_handler(bus, on_message, self, nullptr);
    gst_object_unref(bus);
  }
  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer self) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT) static_cast<SlowHandler*>(self)->hear();
    gst_message_unref(message);
    return GST_BUS_DROP;
  }
  void hear() {
    if (watched_.left() == 0) return;  // on the streaming thread, which the frames wait for
    if (watched_.pushes()) pushes_ = true;
    if (++calls_ == 1) {
      frames_passed_ = watched_.frames_pass();
      g_object_set(watched_.stream().tandembin(), "target-fps", 5.0, nullptr);
    }
    watched_.notify();
  }

  Watched& watched_;
  std::atomic<int> calls_{0};
  std::atomic<bool> pushes_{false}, frames_passed_{false};
};

TEST(PushThread, GoesOnWhileADecisionIsReported) {
  constexpr int kMostStreams = 5;
  bool frames_passed = false;
  for (int streams = 0; !frames_passed && streams < kMostStreams; ++streams) {
    Watched watched([] {});
    const SlowHandler handler(watched);
    for (int pushed = 0; !handler.twice() && pushed < 100 * kManyFrames; pushed += kManyFrames) {
      watched.stream().push(pushed, pushed + kManyFrames);
      watched.wait([&] { return handler.twice() || watched.left() >= pushed; });
    }
    EXPECT_TRUE(handler.twice());
    EXPECT_FALSE(handler.ever_pushes());
    frames_passed = handler.frames_passed();
    watched.stream().set_state(GST_STATE_NULL);
  }
  EXPECT_TRUE(frames_passed);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  tandem::test::register_own_stages();
  return RUN_ALL_TESTS();
}
