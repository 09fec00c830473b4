// SPDX-License-Identifier: LGPL-2.1-or-later
// What a second device of the same kind gains: ViVid on the device alone, frames from memory, with
// one device and with several, by turns in one run. All devices count, unless --devices names some.
// Frames lie in the memory that the bin offers (page-locked), or in ordinary memory:
//   devices_bench [--devices A,B] [--size 1920x1080] [--lanes 2,4,8] [--memory offered|ordinary]
//                 [--seconds 1] [--rounds 5]
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "kernels/opencl/opencl.h"
#include "model/median.h"
#include "tests/gst/bench/support/bare_bin.h"

namespace tandem {
namespace {

using test::BareBin;

constexpr int kWarmFrames = 512, kMostWarmRuns = 10;

struct Options {
  std::string devices = "all";
  Size size{1920, 1080};
  std::vector<int> lanes{2, 4, 8};
  bool offered = true;
  int rounds = 5;
  double seconds = 1;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "devices_bench: %s\n", why.c_str());
  std::exit(1);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--devices") {
      options.devices = value;
    } else if (name == "--size") {
      if (std::sscanf(value, "%dx%d", &options.size.width, &options.size.height) != 2)
        refuse("--size takes WxH");
    } else if (name == "--lanes") {
      options.lanes.clear();
      for (const char* at = value; at;
           at = std::strchr(at, ',') ? std::strchr(at, ',') + 1 : nullptr)
        options.lanes.push_back(std::clamp(std::atoi(at), 1, 8));
    } else if (name == "--memory") {
      options.offered = std::string(value) == "offered";
      if (!options.offered && std::string(value) != "ordinary")
        refuse("--memory takes offered or ordinary");
    } else if (name == "--rounds") {
      options.rounds = std::max(1, std::atoi(value));
    } else if (name == "--seconds") {
      options.seconds = std::atof(value);
    } else {
      refuse("unknown option " + name);
    }
  }
  return options;
}

double processor_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// One way to run the frames, and what it reached.
struct Entry {
  int devices, threads, lanes;
  std::unique_ptr<BareBin> bin;
  int frames = 0;                 // a round
  std::vector<GstBuffer*> input;  // in the bin's memory; empty: ordinary memory
  std::vector<double> fps, core_us;

  double run(const std::vector<GstBuffer*>& ordinary, int count) {
    return bin->run(input.empty() ? ordinary : input, count);
  }

  /// Until no more memory is made for the frames in flight. Seconds of 64 frames.
  double warm(const std::vector<GstBuffer*>& ordinary) {
    double seconds = run(ordinary, 64);
    for (int runs = 0; runs < kMostWarmRuns; ++runs) {
      const uint64_t made = bin->stat("opencl-buffers-made");
      seconds = run(ordinary, kWarmFrames) * 64 / kWarmFrames;
      if (bin->stat("opencl-buffers-made") == made) break;
    }
    return seconds;
  }

  void measure(const std::vector<GstBuffer*>& ordinary) {
    const double before_s = processor_s();
    const double seconds = run(ordinary, frames);
    fps.push_back(frames / seconds);
    core_us.push_back(1e6 * (processor_s() - before_s) / frames);
    std::fprintf(stderr,
                 "%d devices, cg%d/q%d: %.1f frames/s, %" G_GUINT64_FORMAT " buffers made\n",
                 devices, threads, lanes, fps.back(), bin->stat("opencl-buffers-made"));
  }
};

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  using namespace tandem;
  const Options options = parse(argc, argv);
  gst_init(nullptr, nullptr);
  std::shared_ptr<opencl::Context> all;
  try {
    all = opencl::Context::open(options.devices);
  } catch (const opencl::Error& error) {
    refuse(error.what());
  }
  const int devices = all->devices();
  const std::string first = options.devices.substr(0, options.devices.find(','));
  std::printf("%d x %s, ViVid %dx%d, frames in %s memory\n", devices, all->device().name.c_str(),
              options.size.width, options.size.height, options.offered ? "offered" : "ordinary");
  if (devices < 2) refuse("this machine has one such device; nothing to compare");

  const std::vector<GstBuffer*> ordinary = make_frames(options.size, 32);
  std::vector<Entry> entries;
  for (const int lanes : options.lanes) {
    for (const int threads : {1, 2})
      entries.push_back({.devices = 1, .threads = threads, .lanes = lanes});
    for (int threads = 1; threads <= devices; threads *= 2)
      entries.push_back({.devices = devices, .threads = threads, .lanes = lanes});
  }
  for (Entry& entry : entries) {
    const std::string chosen = entry.devices > 1 ? options.devices
                               : first == "all"  ? "auto"
                                                 : first;
    entry.bin = std::make_unique<BareBin>(
        options.size,
        ("mapping=ggg adapt=off granularity=cg cpu-fallback=false opencl-device=\"" + chosen +
         "\" threads=" + std::to_string(entry.threads) + " lanes=" + std::to_string(entry.lanes))
            .c_str());
    entry.bin->run(ordinary, 64);  // builds programs
    if (options.offered && (entry.input = entry.bin->in_its_memory(ordinary)).empty())
      refuse("the bin offers no memory");
    entry.frames = std::max(64, static_cast<int>(64 * options.seconds / entry.warm(ordinary)));
  }
  for (int round = 0; round < options.rounds; ++round)
    for (Entry& entry : entries) entry.measure(ordinary);

  const double one = median(entries.front().fps);
  std::printf(
      "devices  configuration  frames/s (median)   least    most  of one  core us a frame\n");
  double best_one = 0, best_all = 0;
  for (Entry& entry : entries) {
    const auto [least, most] = std::ranges::minmax(entry.fps);
    const double fps = median(entry.fps);
    (entry.devices == 1 ? best_one : best_all) =
        std::max(entry.devices == 1 ? best_one : best_all, fps);
    std::printf("%7d  ggg/cg%d/q%d  %18.1f %8.1f %7.1f  %6.2f  %15.0f\n", entry.devices,
                entry.threads, entry.lanes, fps, least, most, fps / one, median(entry.core_us));
  }
  std::printf("%d devices against one, the best of each: %.2f\n", devices, best_all / best_one);
  for (const Entry& entry : entries)
    for (GstBuffer* frame : entry.input) gst_buffer_unref(frame);
  for (GstBuffer* frame : ordinary) gst_buffer_unref(frame);
  return 0;
}
