// SPDX-License-Identifier: LGPL-2.1-or-later
// What the page-locked memory that tandembin offers upstream gains: frames a second and core time a
// frame with it and without, in turn, for several elements in front. Needs a discrete device.
//
//     page_locked_bench [SECONDS of one measurement] [opencl-device [WIDTHxHEIGHT]]
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/gstvideopool.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "model/median.h"
#include "tests/gst/support/offered_pool.h"
#include "tests/gst/support/stats.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3;
constexpr int kInMemory = 16;  // frames of the source that sends the same ones again
constexpr int kClip = 30;      // frames of an encoded clip

double process_core_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Size {
  int width, height;
};

std::string caps_text(Size size, const char* format) {
  return "video/x-raw,framerate=25/1,format=" + std::string(format) +
         ",width=" + std::to_string(size.width) + ",height=" + std::to_string(size.height);
}

GstElement* launch(const std::string& line) {
  GError* error = nullptr;
  GstElement* pipeline =
      gst_parse_launch_full(line.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!pipeline) {
    std::fprintf(stderr, "%s: %s\n", line.c_str(), error->message);
    std::exit(1);
  }
  return pipeline;
}

bool have(const char* element) {
  const ObjectRef<GstElementFactory> factory(gst_element_factory_find(element));
  return static_cast<bool>(factory);
}

// --- What is in front ---------------------------------------------------------------------------

enum class Feed {
  nothing,  // the line has a source of its own
  again,    // the same frames of the pool, written once: what the upload alone gains
  copied,   // each frame copied into a buffer of the pool, as a capture element does
  raw,      // frames in ordinary memory, for the element behind
  clip      // encoded ones
};

struct Front {
  std::string name, line;
  Feed feed = Feed::nothing;
  const char* format = "GRAY8";
  std::string encoder;
};

std::vector<Front> fronts() {
  std::vector<Front> all{{"frames of the pool, again", "", Feed::again},
                         {"copied into the pool", "", Feed::copied},
                         {"videotestsrc", "videotestsrc pattern=black ! ", Feed::nothing},
                         {"videoconvert", "videoconvert ! video/x-raw,format=I420 ! ", Feed::raw}};
  for (const auto& [decoder, encoder] : {std::pair{"jpegdec", "jpegenc"},
                                         {"avdec_mpeg4", "avenc_mpeg4"},
                                         {"avdec_h264", "x264enc"}}) {
    if (have(decoder) && have(encoder))
      all.push_back({decoder, std::string(decoder) + " ! ", Feed::clip, "I420", encoder});
  }
  return all;
}

using Samples = std::vector<GstSample*>;

Samples make_clip(const Front& front, Size size) {
  GstElement* pipeline = launch("videotestsrc num-buffers=" + std::to_string(kClip) + " ! " +
                                caps_text(size, front.format) + " ! " + front.encoder +
                                " ! appsink name=sink sync=false");
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
  Samples clip;
  while (GstSample* sample = gst_app_sink_pull_sample(GST_APP_SINK(sink))) clip.push_back(sample);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  return clip;
}

// --- One run ------------------------------------------------------------------------------------

struct Rate {
  double fps = 0, core_us = 0, page_locked = 0;  // frames/s, us a frame, share of the frames
};

class Run {
 public:
  Run(const Front& front, Size size, const Samples& clip, const std::string& device)
      : front_(front), size_(size), clip_(clip) {
    const bool fed = front.feed != Feed::nothing;
    const std::string source =
        (fed ? "appsrc name=source format=time block=true max-buffers=16 max-bytes=0 ! " : "") +
        front.line + (front.feed == Feed::nothing ? caps_text(size, "GRAY8") + " ! " : "");
    pipeline_ = launch(source +
                       "tandembin name=bin knowledge=off adapt=off mapping=ggg threads=2 lanes=4 "
                       "opencl-device=\"" +
                       device +
                       "\" stages=\"vividfilter scales=1 ! vividhistogram ! vividclassifier\" ! "
                       "fakesink sync=false");
    bin_ = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
    if (!fed) return;
    source_ = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline_), "source"));
    const CapsRef caps(front.feed == Feed::clip
                           ? gst_caps_ref(gst_sample_get_caps(clip.front()))
                           : gst_caps_from_string(caps_text(size, front.format).c_str()));
    gst_app_src_set_caps(source_, caps.get());
    make_pool(caps.get());
    feeder_ = std::thread([this] { feed(); });
  }

  ~Run() {
    stop_ = true;
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    if (feeder_.joinable()) feeder_.join();
    if (pool_) gst_buffer_pool_set_active(pool_.get(), FALSE);
    gst_clear_object(&source_);
    gst_object_unref(bin_);
    gst_object_unref(pipeline_);
  }

  Rate measure(double seconds) {
    const auto begun = Clock::now();
    while (stat("frames") < 10) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (Clock::now() - begun > std::chrono::seconds(20)) {
        std::fprintf(stderr, "%s: no frames come\n", front_.name.c_str());
        std::exit(1);
      }
    }
    const uint64_t frames = stat("frames"), locked = stat("frames-page-locked");
    const double core_s = process_core_seconds();
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const auto count = static_cast<double>(stat("frames") - frames);
    const std::chrono::duration<double> took = Clock::now() - start;
    return {count / took.count(), 1e6 * (process_core_seconds() - core_s) / count,
            static_cast<double>(stat("frames-page-locked") - locked) / count};
  }

 private:
  uint64_t stat(const char* name) const { return stat_of(bin_, name); }

  // What the bin offers; ordinary memory for all else.
  void make_pool(GstCaps* caps) {
    if (front_.feed != Feed::again && front_.feed != Feed::copied) return;
    const ObjectRef<GstPad> pad(gst_element_get_static_pad(GST_ELEMENT(source_), "src"));
    GstBufferPool* pool = offered_pool(pad.get(), caps);
    if (!pool) {
      pool = gst_video_buffer_pool_new();
      GstStructure* config = gst_buffer_pool_get_config(pool);
      gst_buffer_pool_config_set_params(config, caps,
                                        static_cast<guint>(size_.width * size_.height), 0, 0);
      gst_buffer_pool_set_config(pool, config);
    }
    pool_.reset(pool);
    gst_buffer_pool_set_active(pool, TRUE);
  }

  GstBuffer* next(std::size_t n, std::vector<BufferRef>& kept, const std::vector<char>& content) {
    GstBuffer* buffer = nullptr;
    switch (front_.feed) {
      case Feed::again:
        if (kept.size() <= n) {
          gst_buffer_pool_acquire_buffer(pool_.get(), &buffer, nullptr);
          gst_buffer_fill(buffer, 0, content.data(), content.size());
          kept.emplace_back(buffer);
        }
        return gst_buffer_ref(kept[n % kInMemory].get());
      case Feed::copied:
        gst_buffer_pool_acquire_buffer(pool_.get(), &buffer, nullptr);
        gst_buffer_fill(buffer, 0, content.data(), content.size());
        return buffer;
      case Feed::raw:
        if (kept.size() < kInMemory)
          kept.emplace_back(gst_buffer_new_memdup(content.data(), content.size()));
        return gst_buffer_ref(kept[n % kept.size()].get());
      default:
        buffer = gst_buffer_copy(gst_sample_get_buffer(clip_[n % clip_.size()]));
        GST_BUFFER_PTS(buffer) = n * 40 * GST_MSECOND;
        GST_BUFFER_DTS(buffer) = GST_BUFFER_PTS(buffer);
        return buffer;
    }
  }

  void feed() {
    const std::vector<char> content(static_cast<std::size_t>(size_.width) * size_.height, 16);
    std::vector<BufferRef> kept;
    for (std::size_t n = 0; !stop_; ++n) {
      const std::size_t slot = front_.feed == Feed::again ? n % kInMemory : n;
      if (gst_app_src_push_buffer(source_, next(slot, kept, content)) != GST_FLOW_OK) break;
    }
  }

  const Front& front_;
  const Size size_;
  const Samples& clip_;
  GstElement *pipeline_ = nullptr, *bin_ = nullptr;
  GstAppSrc* source_ = nullptr;
  ObjectRef<GstBufferPool> pool_;
  std::atomic<bool> stop_{false};
  std::thread feeder_;
};

Rate median_of(const std::vector<Rate>& rates) {
  const auto of = [&](double Rate::*field) {
    std::vector<double> values;
    for (const Rate& rate : rates) values.push_back(rate.*field);
    return median(values);
  };
  return {of(&Rate::fps), of(&Rate::core_us), of(&Rate::page_locked)};
}

void compare(const Front& front, Size size, double seconds, const std::string& device) {
  const Samples clip = front.feed == Feed::clip ? make_clip(front, size) : Samples{};
  std::vector<Rate> without, with;
  double least = 1e9, most = 0;
  for (int round = 0; round < kRounds; ++round) {
    setenv("TANDEM_PAGE_LOCKED_MIB", "0", 1);
    without.push_back(Run(front, size, clip, device).measure(seconds));
    unsetenv("TANDEM_PAGE_LOCKED_MIB");
    with.push_back(Run(front, size, clip, device).measure(seconds));
    const double ratio = with.back().fps / without.back().fps;
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  for (GstSample* sample : clip) gst_sample_unref(sample);
  const Rate a = median_of(without), b = median_of(with);
  std::printf("| %dx%d | %s | %.0f | %.0f | %.2f (%.2f-%.2f) | %.0f | %.0f | %.0f%% |\n",
              size.width, size.height, front.name.c_str(), a.fps, b.fps, b.fps / a.fps, least, most,
              a.core_us, b.core_us, 100 * b.page_locked);
  std::fflush(stdout);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0.4;
  const std::string device = argc > 2 ? argv[2] : "auto";
  if (!tandem::have("tandembin")) {
    std::fprintf(stderr,
                 "GStreamer does not find tandembin: run this in meson devenv or a bundle\n");
    return 1;
  }
  std::puts(
      "ggg/cg2/q4; frames/s and core us a frame in ordinary (a) and page-locked (b) memory\n\n"
      "| size | in front | fps a | fps b | b / a | core us a | core us b | page-locked |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  std::vector<tandem::Size> sizes{{1920, 1080}, {600, 416}};
  if (tandem::Size only{};
      argc > 3 && std::sscanf(argv[3], "%dx%d", &only.width, &only.height) == 2)
    sizes = {only};
  for (const tandem::Size size : sizes) {
    for (const tandem::Front& front : tandem::fronts())
      tandem::compare(front, size, seconds, device);
  }
  return 0;
}
