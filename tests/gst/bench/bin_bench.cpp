// SPDX-License-Identifier: LGPL-2.1-or-later
// What tandembin costs: ViVid through the bin against a hand-written loop of as many threads that
// call the same kernels, and the bin's own time for a frame that gives the stages next to nothing
// to do. Both are taken in turn in one run, so that a machine whose speed drifts hits both.
//   bin_bench [WIDTHxHEIGHT]   all sizes, or one of 600x416, 1920x1080, 12x12
#include <gst/gst.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "kernels/vivid_classifier/detections.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_classifier/vivid_model.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_histogram/vivid_histogram.h"
#include "model/median.h"
#include "tests/gst/bench/support/bare_bin.h"

namespace tandem {
namespace {

using test::BareBin;
using test::Clock;
using test::seconds_since;

// --- The loop that somebody would write by hand ------------------------------------------------

/// One thread's memory and its frame's way through the kernels.
class HandWritten {
 public:
  HandWritten(const VividModel& model, const PackedSvm& svm, Size size)
      : model_(model), svm_(svm), size_(size), cells_(CellGrid::of(size.width, size.height)) {
    const std::size_t pixels = static_cast<std::size_t>(size.width) * size.height;
    index_.resize(pixels);
    weight_.resize(pixels);
    histogram_.resize(static_cast<std::size_t>(cells_.columns) * cells_.rows * model.bank.count);
    partial_.resize(vivid_classifier_partial_size(cells_));
    const ScoreGrid grid = ScoreGrid::of(cells_);
    score_.resize(static_cast<std::size_t>(grid.columns) * grid.rows);
  }

  std::size_t run(const uint8_t* luma) {
    const Plane<const uint8_t> frame{luma, size_.width, size_.height, size_.width};
    const Plane<uint8_t> index{index_.data(), size_.width, size_.height, size_.width};
    const Plane<float> weight{weight_.data(), size_.width, size_.height, size_.width};
    vivid_filter_simd(frame, model_.bank, index, weight, {0, size_.height});
    vivid_histogram_simd(index, weight, model_.bank.count, histogram_.data(), {0, cells_.rows});
    const ScoreGrid grid = ScoreGrid::of(cells_);
    if (grid.rows == 0) return 0;
    vivid_classifier_rows(histogram_.data(), cells_, svm_, partial_.data(), {0, cells_.rows - 1});
    const Plane<float> score{score_.data(), grid.columns, grid.rows, grid.columns};
    vivid_classifier_combine(partial_.data(), cells_, svm_, score);
    found_.clear();
    collect_detections(score, 1, model_.default_threshold, size_.width, size_.height, found_);
    suppress_overlaps(found_, 0.3f, 200);
    return found_.size();
  }

 private:
  const VividModel& model_;
  const PackedSvm& svm_;
  const Size size_;
  const CellGrid cells_;
  std::vector<uint8_t> index_;
  std::vector<float> weight_, histogram_, partial_, score_;
  std::vector<Detection> found_;
};

/// Seconds for `count` frames with `threads` threads.
double time_by_hand(const VividModel& model, const PackedSvm& svm, Size size,
                    const std::vector<GstBuffer*>& frames, int count, int threads) {
  std::vector<HandWritten> workers;
  for (int i = 0; i < threads; ++i) workers.emplace_back(model, svm, size);
  std::vector<GstMapInfo> maps(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    gst_buffer_map(frames[i], &maps[i], GST_MAP_READ);
    for (HandWritten& worker : workers) worker.run(maps[i].data);  // touches the memory
  }
  std::atomic<int> next{0};
  const auto start = Clock::now();
  std::vector<std::thread> pool;
  for (HandWritten& worker : workers) {
    pool.emplace_back([&] {
      for (int i; (i = next++) < count;) worker.run(maps[i % maps.size()].data);
    });
  }
  for (std::thread& thread : pool) thread.join();
  const double seconds = seconds_since(start);
  for (std::size_t i = 0; i < frames.size(); ++i) gst_buffer_unmap(frames[i], &maps[i]);
  return seconds;
}

// --- The bin -----------------------------------------------------------------------------------

/// What all threads of the process have taken: processor time, and how often they went to sleep.
struct Taken {
  double cpu_s = 0;
  double sleeps = 0;
};

Taken taken() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_nvcsw)};
}

void compare(const VividModel& model, const PackedSvm& svm, const char* name, Size size, int frames,
             int threads) {
  constexpr int kRounds = 9;
  const std::vector<GstBuffer*> input = make_frames(size, 16);
  BareBin bin(size, ("cores=" + std::to_string(threads) +
                     " mapping=ccc granularity=cg threads=" + std::to_string(threads))
                        .c_str());
  bin.run(input, frames);
  std::vector<double> by_hand, through_bin, ratios, cpu, sleeps;
  for (int round = 0; round < kRounds; ++round) {
    by_hand.push_back(time_by_hand(model, svm, size, input, frames, threads) / frames);
    const Taken before = taken();
    through_bin.push_back(bin.run(input, frames) / frames);
    const Taken after = taken();
    cpu.push_back((after.cpu_s - before.cpu_s) / frames);
    sleeps.push_back((after.sleeps - before.sleeps) / frames);
    ratios.push_back(by_hand.back() / through_bin.back());
  }
  std::printf(
      "%-10s ccc/cg%d  by hand %8.1f us/frame  bin %8.1f us/frame  ratio of rates %.3f "
      "(median; least %.3f, most %.3f)  best rounds: by hand %.2f us, bin %.2f us; of the bin %.2f "
      "us of processors and "
      "%.3f sleeps a frame (medians)\n",
      name, threads, 1e6 * median(by_hand), 1e6 * median(through_bin), median(ratios),
      std::ranges::min(ratios), std::ranges::max(ratios), 1e6 * std::ranges::min(by_hand),
      1e6 * std::ranges::min(through_bin), 1e6 * median(cpu), median(sleeps));
  std::fflush(stdout);
  for (GstBuffer* frame : input) gst_buffer_unref(frame);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  using namespace tandem;
  gst_init(&argc, &argv);
  const char* folder = std::getenv("TANDEM_DATA_DIR");
  const VividModel model =
      load_vivid_model(std::string(folder ? folder : ".") + "/models/person.vivid");
  const PackedSvm svm(model.svm);
  // 12x12 pixels: one cell and no window, so that what is left is the bin itself.
  struct Work {
    const char* name;
    Size size;
    int frames, threads;
  };
  for (const Work& work :
       {Work{"600x416", {600, 416}, 200, 2}, Work{"1920x1080", {1920, 1080}, 24, 2},
        Work{"12x12", {12, 12}, 20000, 1}, Work{"12x12", {12, 12}, 20000, 2}})
    if (argc < 2 || std::string(argv[1]) == work.name)
      compare(model, svm, work.name, work.size, work.frames, work.threads);
  return 0;
}
