// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bench/pipeline.h"

#include <gst/app/gstappsink.h>

#include <algorithm>

#include "pipelines/tandem/pipeline/bus_messages.h"
#include "pipelines/tandem/pipeline/pads.h"

namespace tandem {
namespace {

constexpr gsize kMostInMemory = gsize{256} << 20;
constexpr std::chrono::seconds kStalled{60};
constexpr std::chrono::milliseconds kBetweenLooks{10};

}  // namespace

FrameStore load_frames(const std::string& uri, Size size, int most) {
  Pipeline pipeline(gst_pipeline_new("load"));
  GstElement* source = pipeline.add(uri.empty() ? make_test_source(size) : make_source(uri, size));
  GstElement* sink = pipeline.add(make_element("appsink"));
  g_object_set(sink, "sync", FALSE, "max-buffers", 2u, nullptr);
  Pipeline::link(source, sink);
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline.get()));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  FrameStore store;
  for (gsize bytes = 0; static_cast<int>(store.frames.size()) < most && bytes < kMostInMemory;) {
    const SampleRef sample(gst_app_sink_pull_sample(GST_APP_SINK(sink)));
    if (!sample) break;
    GstBuffer* buffer = gst_buffer_copy_deep(gst_sample_get_buffer(sample.get()));
    if (!store.caps) store.caps.reset(gst_caps_ref(gst_sample_get_caps(sample.get())));
    bytes += gst_buffer_get_size(buffer);
    store.frames.emplace_back(buffer);
  }
  if (store.frames.empty()) {
    if (GstMessage* error = gst_bus_pop_filtered(bus.get(), GST_MESSAGE_ERROR)) {
      throw_error(error, uri, "");
    }
    throw Failure("no frame of video came out of '" + uri + "'");
  }
  return store;
}

BenchPipeline::BenchPipeline(const FrameStore& frames, const BinSettings& settings)
    : frames_(frames), lanes_(settings.lanes.value_or(0)), pipeline_(gst_pipeline_new("bench")) {
  source_ = pipeline_.add(make_element("appsrc"));
  // A few frames ready to go keep the bin full; push_buffer waits beyond that.
  g_object_set(source_, "caps", frames.caps.get(), "format", GST_FORMAT_TIME, "block", TRUE,
               "max-buffers", guint64{4}, "max-bytes", guint64{0}, nullptr);
  bin_ = pipeline_.add(make_tandembin(settings));
  GstElement* sink = pipeline_.add(make_element("fakesink"));
  g_object_set(sink, "sync", FALSE, nullptr);
  Pipeline::link(source_, bin_);
  Pipeline::link(bin_, sink);
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(sink, "sink"));
  add_probe(pad.get(), kFrames, [this](GstPad*, GstPadProbeInfo*) {
    const std::scoped_lock lock(mutex_);
    ++out_;
    came_out_.notify_one();
    return GST_PAD_PROBE_OK;
  });
  bus_.reset(gst_element_get_bus(pipeline_.get()));
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  feed_one();
  wait_until_empty();
  const BinStats stats = read_stats(bin_);
  cores_ = stats.cores;
  stages_ = static_cast<int>(stats.stages.size());
  for (const StageCount& stage : stats.stages) can_split_.push_back(stage.can_split);
}

void BenchPipeline::check_bus() {
  constexpr auto kKinds = static_cast<GstMessageType>(
      int{GST_MESSAGE_ERROR} | int{GST_MESSAGE_WARNING} | int{GST_MESSAGE_ELEMENT});
  while (GstMessage* message = gst_bus_pop_filtered(bus_.get(), kKinds)) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) throw_error(message, "the frames", "");
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) print_warning(message);
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT)
      take_decision(gst_message_get_structure(message));
    gst_message_unref(message);
  }
}

// docs/messages.md says what is in it.
void BenchPipeline::take_decision(const GstStructure* decision) {
  int frames = 0, trials = 0;
  if (!gst_structure_has_name(decision, "tandem-decision") ||
      !gst_structure_get_int(decision, "training-frames", &frames) || frames == 0 ||
      !gst_structure_get_int(decision, "training-trials", &trials))
    return;
  trials_ = trials;
  expected_loss_ = read_double(decision, "expected-loss");
  ranking_.clear();
  for (const GstStructure* one : read_structures(decision, "ranking")) {
    ranking_.push_back(
        {read_string(one, "configuration"),
         {read_double(one, "fps"), read_double(one, "energy"), read_double(one, "latency")}});
  }
}

void BenchPipeline::feed_one() {
  // The pixels are shared by all rounds; flags, times and metadata are this buffer's own.
  GstBuffer* buffer = gst_buffer_copy(frames_.frames[in_ % frames_.frames.size()].get());
  GST_BUFFER_PTS(buffer) = in_ * (GST_SECOND / 30);
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  ++in_;
  if (gst_app_src_push_buffer(GST_APP_SRC(source_), buffer) == GST_FLOW_OK) return;
  check_bus();
  throw Failure("the pipeline stopped accepting frames");
}

void BenchPipeline::wait_until_empty() {
  uint64_t before = 0;
  auto deadline = Clock::now() + kStalled;
  std::unique_lock lock(mutex_);
  while (out_ < in_) {
    came_out_.wait_for(lock, std::chrono::milliseconds(100));
    lock.unlock();
    check_bus();
    lock.lock();
    if (out_ != before) deadline = Clock::now() + kStalled;
    before = out_;
    if (Clock::now() > deadline) throw Failure("no frame came out of tandembin for a minute");
  }
}

void BenchPipeline::configure(const BenchConfiguration& configuration) {
  // Resets properties that would conflict with a part of the new configuration.
  g_object_set(bin_, "threads", 0, "split", "auto", nullptr);
  set_property(bin_, "granularity", "granularity", "auto");
  set_property(bin_, "mapping", "mapping", configuration.mapping);
  set_property(bin_, "granularity", "granularity", configuration.granularity());
  set_property(bin_, "lanes", "lanes", std::to_string(configuration.lanes));
  set_property(bin_, "tasks", "tasks", std::to_string(configuration.tasks));
  if (configuration.split)
    set_property(bin_, "split", "split", std::to_string(*configuration.split));
  set_property(bin_, "threads", "threads", std::to_string(configuration.threads.value_or(0)));
}

BenchPipeline::Trained BenchPipeline::train(const std::string& metric) {
  Trained trained{.metric = metric};
  trials_.reset();
  expected_loss_.reset();
  ranking_.clear();
  const BinStats before = read_stats(bin_);
  set_property(bin_, "--metric", "metric", metric);
  g_object_set(bin_, "mapping", "auto", "threads", 0, "lanes", lanes_, "tasks", 0, "split", "auto",
               nullptr);
  set_property(bin_, "granularity", "granularity", "auto");
  set_property(bin_, "adapt", "adapt", "caps");
  if (read_stats(bin_).trainings == before.trainings) g_signal_emit_by_name(bin_, "retrain");
  // Now and then: asking after each frame would keep small frames waiting for their source.
  BinStats stats;
  do {
    const auto until = Clock::now() + kBetweenLooks;
    while (Clock::now() < until) feed_one();
    stats = read_stats(bin_);
  } while (stats.training);
  trained.predicted = stats.predicted;
  set_property(bin_, "adapt", "adapt", "off");
  wait_until_empty();
  check_bus();
  stats = read_stats(bin_);
  trained.trials = trials_;
  trained.ranking = ranking_;
  trained.expected_loss = expected_loss_;
  trained.chosen = stats.configuration;
  trained.predictions = read_predictions(bin_);
  trained.frames = stats.training_frames - before.training_frames;
  trained.seconds = stats.training_s - before.training_s;
  trained.experiments = stats.training_experiments - before.training_experiments;
  return trained;
}

void BenchPipeline::measure(int frames, double least_seconds, BenchMeasurement& measurement,
                            bool cpu_fallback) {
  configure(measurement.configuration);
  g_object_set(bin_, "cpu-fallback", gboolean{cpu_fallback}, nullptr);
  // The first frames fill the bin, make tensors and wake threads: until each thread's are out.
  const uint64_t warm = in_ + std::max(8, 3 * measurement.configuration.threads.value_or(2));
  const auto out = [this] {
    const std::scoped_lock lock(mutex_);
    return out_;
  };
  while (out() < warm) feed_one();

  // Frames that are finished count, not those that come out. With a device many times as fast as a
  // core they come out in bursts, whenever a core is done with an older one.
  const BinStats before = read_stats(bin_);
  const auto begin = Clock::now();
  std::chrono::duration<double> elapsed{};
  BinStats after = before;
  const auto finished = [&] {
    after = read_stats(bin_);
    return after.frames - before.frames >= static_cast<uint64_t>(frames);
  };
  for (int fed = 0; fed < frames || elapsed.count() < least_seconds || !finished(); ++fed) {
    feed_one();
    elapsed = Clock::now() - begin;
  }
  elapsed = Clock::now() - begin;
  wait_until_empty();
  if (after.configuration != measurement.configuration.name()) {
    throw Failure("tandembin ran " + after.configuration + " instead of " +
                  measurement.configuration.name());
  }
  const BinStats stats = after - before;
  measurement.rounds_fps.push_back(static_cast<double>(stats.frames) / elapsed.count());
  if (after.measured_energy_j) measurement.rounds_energy_j.push_back(*after.measured_energy_j);
  if (after.latency_p95_ms) measurement.rounds_latency_ms.push_back(*after.latency_p95_ms);
  measurement.stage_cpu_s.clear();
  measurement.stage_device_s.clear();
  const auto mean_s = [](uint64_t ns, uint64_t count) {
    return count ? 1e-9 * static_cast<double>(ns) / static_cast<double>(count) : 0.0;
  };
  for (const StageCount& stage : stats.stages) {
    measurement.stage_cpu_s.push_back(mean_s(stage.cpu_ns, stage.cpu_frames));
    measurement.stage_device_s.push_back(mean_s(stage.device_ns, stage.device_frames));
  }
}

}  // namespace tandem
