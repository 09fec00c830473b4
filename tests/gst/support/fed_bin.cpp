// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/fed_bin.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tests/gst/support/offered_pool.h"

namespace tandem {
namespace {

// A stage may write to the pixels: after so many frames a buffer is filled anew. Filling each time
// would be what limits 1920x1080.
constexpr int kFilledFor = 8;

GstBufferPool* make_pool(GstCaps* caps) {
  GstVideoInfo info;
  gst_video_info_from_caps(&info, caps);
  GstBufferPool* pool = gst_video_buffer_pool_new();
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)), 0,
                                    0);
  if (!gst_buffer_pool_set_config(pool, config) || !gst_buffer_pool_set_active(pool, TRUE))
    throw std::runtime_error("no pool for frames can be made");
  return pool;
}

// Of how many frames it was in since it was filled last; 0: it never was, or long ago.
int& frames_since_filled(GstBuffer* buffer) {
  static const GQuark quark = g_quark_from_static_string("tandem-frames-since-filled");
  auto* frames = static_cast<int*>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(buffer), quark));
  if (!frames) {
    frames = g_new0(int, 1);
    gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(buffer), quark, frames, g_free);
  }
  return *frames;
}

// Where the time of a training went, in words.
std::string spent_of(const GstStructure* decision) {
  std::string text;
  const GValue* list = gst_structure_get_value(decision, "training-spent");
  for (guint i = 0; list && i < gst_value_array_get_size(list); ++i) {
    const GstStructure* part = gst_value_get_structure(gst_value_array_get_value(list, i));
    int runs = 0, frames = 0;
    double seconds = 0;
    gst_structure_get(part, "runs", G_TYPE_INT, &runs, "frames", G_TYPE_INT, &frames, "seconds",
                      G_TYPE_DOUBLE, &seconds, nullptr);
    char line[160];
    std::snprintf(line, sizeof line, "%s%s %d: %.2f s, %d frames", text.empty() ? "" : "; ",
                  gst_structure_get_string(part, "on"), runs, seconds, frames);
    text += line;
  }
  return text;
}

Told told_by(const GstStructure* d, double at_s) {
  Told told;
  told.at_s = at_s;
  told.reason = gst_structure_get_string(d, "reason");
  told.before = gst_structure_get_string(d, "old");
  told.after = gst_structure_get_string(d, "new");
  gst_structure_get_double(d, "predicted-fps", &told.predicted_fps);
  gst_structure_get_int(d, "training-experiments", &told.experiments);
  gst_structure_get_int(d, "training-trials", &told.trials);
  gst_structure_get_int(d, "training-frames", &told.training_frames);
  gst_structure_get_double(d, "training-seconds", &told.training_s);
  gst_structure_get_double(d, "training-penalty", &told.penalty_s);
  gboolean unknown = FALSE;
  gst_structure_get_boolean(d, "energy-unknown", &unknown);
  told.energy_unknown = unknown;
  told.spent = spent_of(d);
  return told;
}

}  // namespace

void force_configuration(GstElement* bin, const std::string& configuration) {
  const auto set = [bin](const char* property, const char* value) {
    gst_util_set_object_arg(G_OBJECT(bin), property, value);
  };
  // What a part of the new one does not go with.
  set("granularity", "auto");
  set("threads", "0");
  std::size_t at = configuration.find('/');
  set("mapping", configuration.substr(0, at).c_str());
  set("lanes", at == std::string::npos ? "0" : "1");
  set("tasks", at == std::string::npos ? "0" : "1");
  set("split", "auto");
  while (at != std::string::npos) {
    const std::size_t next = configuration.find('/', ++at);
    const std::string part = configuration.substr(at, next - at);
    at = next;
    if (part[0] == 'q')
      set("lanes", part.c_str() + 1);
    else if (part[0] == 't')
      set("tasks", part.c_str() + 1);
    else if (part[0] == 'a')
      set("split", part.c_str() + 1);
    else if (part[0] == 'm')
      set("granularity", part.c_str());
    else
      set("threads", part.c_str() + 2);  // and thereby the granularity
  }
}

FedBin::FedBin(const Options& options, const std::string& stages, const char* adapt) {
  const std::string line =
      "appsrc name=source format=time block=true max-buffers=4 max-bytes=0 ! tandembin name=bin "
      "stages=\"" +
      stages + "\" ! fakesink name=sink sync=false";
  pipeline_ = gst_parse_launch_full(line.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, nullptr);
  if (!pipeline_) throw std::runtime_error("no pipeline: is GST_PLUGIN_PATH set?");
  source_ = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline_), "source"));
  bin_ = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
  GstBus* bus = gst_element_get_bus(pipeline_);
  gst_bus_set_sync_handler(bus, hear, this, nullptr);
  gst_object_unref(bus);
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
  GstPad* pad = gst_element_get_static_pad(sink, "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, this, nullptr);
  gst_object_unref(pad);
  gst_object_unref(sink);
  pad = gst_element_get_static_pad(GST_ELEMENT(source_), "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, hear_event, this, nullptr);
  gst_object_unref(pad);
  g_object_set(bin_, "opencl-device", options.device.c_str(), "cores", options.cores,
               "max-overhead", options.max_overhead, "knowledge", options.knowledge.c_str(),
               "energy-source", options.energy_source.c_str(), nullptr);
  set("metric", options.metric.c_str());
  set("adapt", adapt);
}

FedBin::~FedBin() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  use(nullptr);
  gst_object_unref(source_);
  gst_object_unref(bin_);
  gst_object_unref(pipeline_);
}

void FedBin::set(const char* property, const char* value) {
  gst_util_set_object_arg(G_OBJECT(bin_), property, value);
}

void FedBin::force(const std::string& configuration) { force_configuration(bin_, configuration); }

void FedBin::begin(Size size) {
  GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                      G_TYPE_INT, size.width, "height", G_TYPE_INT, size.height,
                                      "framerate", GST_TYPE_FRACTION, 30, 1, nullptr);
  gst_app_src_set_caps(source_, caps);
  use(make_pool(caps));
  gst_caps_unref(caps);
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

// In place of what was used before, whose buffers go when they are back.
void FedBin::use(GstBufferPool* pool) {
  GstBufferPool* before = std::exchange(pool_, pool);
  if (!before) return;
  gst_buffer_pool_set_active(before, FALSE);
  gst_object_unref(before);
}

void FedBin::feed(const std::vector<GstBuffer*>& frames) {
  if (asked_anew_.exchange(false) && reconfigured) reconfigured();
  GstBuffer* buffer = nullptr;
  if (gst_buffer_pool_acquire_buffer(pool_, &buffer, nullptr) != GST_FLOW_OK)
    throw std::runtime_error("the pool has no buffer");
  int& since_filled = frames_since_filled(buffer);
  if (since_filled == 0) fill(buffer, frames[next_++ % frames.size()]);
  since_filled = (since_filled + 1) % kFilledFor;
  if (gst_app_src_push_buffer(source_, buffer) != GST_FLOW_OK)
    throw std::runtime_error("the pipeline stopped taking frames");
}

bool FedBin::use_offered_pool() {
  GstCaps* caps = gst_app_src_get_caps(source_);
  GstPad* pad = gst_element_get_static_pad(GST_ELEMENT(source_), "src");
  GstBufferPool* offered = offered_pool(pad, caps);
  if (offered && !gst_buffer_pool_set_active(offered, TRUE))
    gst_object_unref(std::exchange(offered, nullptr));
  use(offered ? offered : make_pool(caps));
  gst_object_unref(pad);
  gst_caps_unref(caps);
  return offered != nullptr;
}

Stats FedBin::stats() const {
  Stats stats;
  GstStructure* structure = nullptr;
  g_object_get(bin_, "stats", &structure, nullptr);
  stats.configuration = gst_structure_get_string(structure, "configuration");
  gboolean training = FALSE;
  gst_structure_get(structure, "frames", G_TYPE_UINT64, &stats.frames, "frames-page-locked",
                    G_TYPE_UINT64, &stats.page_locked, "trainings", G_TYPE_INT, &stats.trainings,
                    "training-frames", G_TYPE_INT, &stats.training_frames, "training-experiments",
                    G_TYPE_INT, &stats.training_experiments, "training-seconds", G_TYPE_DOUBLE,
                    &stats.training_s, "training-penalty", G_TYPE_DOUBLE, &stats.penalty_s,
                    "training", G_TYPE_BOOLEAN, &training, nullptr);
  stats.training = training;
  gst_structure_get_double(structure, "latency-p95", &stats.latency_p95_ms);
  stats.predicted = gst_structure_has_field(structure, "predicted-fps");
  gst_structure_free(structure);
  return stats;
}

std::vector<Told> FedBin::decisions() const {
  std::lock_guard lock(mutex_);
  return told_;
}

void FedBin::keep_departures() {
  std::lock_guard lock(mutex_);
  departures_s_.clear();
  keeps_departures_ = true;
}

std::vector<double> FedBin::departures_s() const {
  std::lock_guard lock(mutex_);
  return departures_s_;
}

// In the thread that decides. The bin tells nothing that waits for a caller of decisions().
GstBusSyncReply FedBin::hear(GstBus*, GstMessage* message, gpointer self) {
  FedBin& bin = *static_cast<FedBin*>(self);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {  // feed() would wait for good
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "the pipeline failed: %s\n", error->message);
    std::_Exit(1);
  }
  const GstStructure* structure = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT
                                      ? gst_message_get_structure(message)
                                      : nullptr;
  if (structure && gst_structure_has_name(structure, "tandem-decision")) {
    std::lock_guard lock(bin.mutex_);
    bin.told_.push_back(told_by(structure, bin.now_s()));
    bin.told_.back().delivered = bin.delivered_;
  }
  return GST_BUS_PASS;
}

std::vector<Rate> FedBin::predictions() const {
  GstStructure* all = nullptr;
  g_object_get(bin_, "predictions", &all, nullptr);
  std::vector<Rate> rates;
  const GValue* list = all ? gst_structure_get_value(all, "configurations") : nullptr;
  for (guint i = 0; list && i < gst_value_array_get_size(list); ++i) {
    const GstStructure* one = gst_value_get_structure(gst_value_array_get_value(list, i));
    Rate rate{gst_structure_get_string(one, "configuration")};
    gst_structure_get_double(one, "latency", &rate.latency_ms);
    if (gst_structure_get_double(one, "fps", &rate.fps)) rates.push_back(rate);
  }
  if (all) gst_structure_free(all);
  std::ranges::sort(rates, std::greater{}, &Rate::fps);
  return rates;
}

int FedBin::cores() const {
  GstStructure* structure = nullptr;
  g_object_get(bin_, "stats", &structure, nullptr);
  int cores = 1;
  gst_structure_get_int(structure, "cores", &cores);
  gst_structure_free(structure);
  return cores;
}

double FedBin::device_us() const {
  GstStructure* structure = nullptr;
  g_object_get(bin_, "stats", &structure, nullptr);
  const GValue* stages = gst_structure_get_value(structure, "stages");
  double sum_ns = 0;
  for (guint i = 0; stages && i < gst_value_array_get_size(stages); ++i) {
    guint64 ns = 0;
    gst_structure_get_uint64(gst_value_get_structure(gst_value_array_get_value(stages, i)),
                             "device-ns", &ns);
    sum_ns += static_cast<double>(ns);
  }
  gst_structure_free(structure);
  return sum_ns / 1000;
}

// In the streaming thread.
GstPadProbeReturn FedBin::count(GstPad*, GstPadProbeInfo*, gpointer self) {
  FedBin& bin = *static_cast<FedBin*>(self);
  bin.last_s_ = seconds_since(bin.made_);
  if (bin.delivered_ == 0) bin.first_s_ = bin.last_s_.load();
  if (++bin.delivered_ == bin.mark_) bin.mark_s_ = bin.last_s_.load();
  if (bin.keeps_departures_) {
    std::lock_guard lock(bin.mutex_);
    bin.departures_s_.push_back(bin.last_s_);
  }
  return GST_PAD_PROBE_OK;
}

GstPadProbeReturn FedBin::hear_event(GstPad*, GstPadProbeInfo* info, gpointer self) {
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_RECONFIGURE)
    static_cast<FedBin*>(self)->asked_anew_ = true;
  return GST_PAD_PROBE_OK;
}

double FedBin::rate_between(const std::vector<GstBuffer*>& frames, guint64 first, guint64 last,
                            double most_s) {
  mark_ = first;
  const auto start = Clock::now();
  while (delivered_ < last && seconds_since(start) < most_s) feed(frames);
  const guint64 so_many = delivered_;
  const double until_s = last_s_;
  return so_many > first && mark_s_ > 0 ? static_cast<double>(so_many - first) / (until_s - mark_s_)
                                        : 0;
}

double FedBin::run(const std::vector<GstBuffer*>& frames, double seconds) {
  const Stats before = stats();
  const auto start = Clock::now();
  while (seconds_since(start) < seconds) feed(frames);
  const double elapsed = seconds_since(start);
  return static_cast<double>(stats().frames - before.frames) / elapsed;
}

bool FedBin::run_until_decided(const std::vector<GstBuffer*>& frames, double most_s) {
  constexpr double kBetweenLooks = 0.01;  // stats take as long as a fast frame
  for (const auto start = Clock::now(); seconds_since(start) < most_s;) {
    for (const auto since = Clock::now(); seconds_since(since) < kBetweenLooks;) feed(frames);
    // It is told a moment after the bin has begun to run what it chose.
    const std::vector<Told> told = decisions();
    if (std::ranges::any_of(told, [](const Told& one) { return one.experiments > 0; })) return true;
  }
  return false;
}

}  // namespace tandem
