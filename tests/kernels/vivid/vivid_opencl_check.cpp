// SPDX-License-Identifier: LGPL-2.1-or-later
// The three stages of ViVid one after the other on the device, as a frame takes them: luma in,
// scores out, nothing else copied.
#include <array>
#include <cmath>

#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_bench.h"
#include "tests/kernels/support/opencl_implementation.h"
#include "tests/kernels/vivid/vivid_on_device.h"

namespace tandem::check {
namespace {

std::vector<float> reference_scores(const Guarded<uint8_t>& luma, const VividModel& model) {
  const CellGrid cells = CellGrid::of(luma.width(), luma.height());
  Guarded<uint8_t> index(luma.width(), luma.height());
  Guarded<float> weight(luma.width(), luma.height());
  vivid_filter_ref(luma.plane(), model.bank, index.plane(), weight.plane(), {0, luma.height()});
  std::vector<float> histogram(static_cast<std::size_t>(cells.columns * cells.rows) *
                               model.bank.count);
  vivid_histogram_ref(index.plane(), weight.plane(), model.bank.count, histogram.data(),
                      {0, cells.rows});
  const ScoreGrid grid = ScoreGrid::of(cells);
  std::vector<float> scores(static_cast<std::size_t>(grid.columns * grid.rows));
  vivid_classifier_ref(histogram.data(), cells, model.svm,
                       {scores.data(), grid.columns, grid.rows, grid.columns});
  return scores;
}

class VividOnDevice : public testing::TestWithParam<OpenCLDevice> {
 protected:
  void TearDown() override { opencl::fail_after(-1); }

  static constexpr int kWidth = 131, kHeight = 163;
  const VividModel model_{23, generator(1)};
};

// Without a device there is nothing to instantiate.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(VividOnDevice);
INSTANTIATE_TEST_SUITE_P(All, VividOnDevice, testing::ValuesIn(opencl_devices()),
                         ImplementationName());

void expect_scores(const std::vector<float>& expected, Vivid& vivid) {
  const float* scores = vivid.scores();
  // A filter that answers as strongly as another to the last bit may win on one of the two.
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(scores[i], expected[i], 1e-3);
}

TEST_P(VividOnDevice, ComputesTheReferencesScores) {
  std::mt19937 random = generator(2);
  Vivid vivid(GetParam().context, model_, kWidth, kHeight);
  for (int frame = 0; frame < 3; ++frame) {
    const Guarded<uint8_t> luma = random_luma(random, kWidth, kHeight);
    vivid.enqueue(luma.plane());
    vivid.queue.finish();
    expect_scores(reference_scores(luma, model_), vivid);
  }
}

TEST_P(VividOnDevice, CreatesNothingOnceSteady) {
  std::mt19937 random = generator(3);
  const Guarded<uint8_t> luma = random_luma(random, kWidth, kHeight);
  Vivid vivid(GetParam().context, model_, kWidth, kHeight);
  const auto counts = [] {
    const opencl::Counters& counters = opencl::counters();
    return std::array<uint64_t, 3>{counters.buffers_created, counters.programs_built,
                                   counters.objects_created};
  };
  std::array<uint64_t, 3> after_first{};
  for (int frame = 0; frame < 5; ++frame) {
    vivid.enqueue(luma.plane());
    vivid.queue.finish();
    vivid.scores();
    if (frame == 0) after_first = counts();
  }
  EXPECT_EQ(counts(), after_first);
}

TEST_P(VividOnDevice, AnyCommandMayFailAndTheNextFrameIsRight) {
  std::mt19937 random = generator(4);
  const Guarded<uint8_t> luma = random_luma(random, kWidth, kHeight);
  const std::vector<float> expected = reference_scores(luma, model_);
  Vivid vivid(GetParam().context, model_, kWidth, kHeight);
  constexpr int kCommands =
      7;  // upload, filter, histogram, two of the classifier, download, finish
  for (int n = 0; n <= kCommands; ++n) {
    opencl::fail_after(n);
    const auto frame = [&] {
      vivid.enqueue(luma.plane());
      vivid.queue.finish();
    };
    if (n < kCommands) {
      EXPECT_THROW(frame(), opencl::Error) << n;
    } else {
      EXPECT_NO_THROW(frame());
    }
    opencl::fail_after(-1);
    frame();
    expect_scores(expected, vivid);
  }
}

/// Frames a second through all three stages with luma copied in from ordinary memory and scores
/// out, one frame at a time or with one frame more in flight, whose copies overlap the other's
/// kernels. One frame at a time is profiled too: where its time on the device goes.
void bench_frames(benchmark::State& state, FrameSize size, int in_flight) {
  if (opencl_devices().empty()) return state.SkipWithError("no OpenCL device on this machine");
  const auto context = opencl_devices().front().context;
  const VividModel model(100);
  std::mt19937 random(1);
  const Guarded<uint8_t> luma = random_luma(random, size.width, size.height);
  std::vector<std::unique_ptr<Vivid>> vivid;
  for (int i = 0; i < in_flight; ++i) {
    vivid.push_back(std::make_unique<Vivid>(context, model, size.width, size.height));
    vivid.back()->enqueue(luma.plane());
    vivid.back()->queue.finish();
  }
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    Vivid& oldest = *vivid[next++ % vivid.size()];
    oldest.queue.finish();
    benchmark::DoNotOptimize(oldest.scores());
    oldest.enqueue(luma.plane());
    oldest.queue.flush();
  }
  for (const auto& each : vivid) each->queue.finish();
  if (in_flight == 1) {
    Vivid& only = *vivid.front();
    print_profile(profile_commands(only.queue, 20, [&] { only.enqueue(luma.plane()); }),
                  measure_device_peaks(only.queue), {});
  }
  state.counters["fps"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(bench_frames, LD, kFrameSizes[0], 1)->UseRealTime();
BENCHMARK_CAPTURE(bench_frames, HD, kFrameSizes[1], 1)->UseRealTime();
BENCHMARK_CAPTURE(bench_frames, LD_two_in_flight, kFrameSizes[0], 2)->UseRealTime();
BENCHMARK_CAPTURE(bench_frames, HD_two_in_flight, kFrameSizes[1], 2)->UseRealTime();

}  // namespace
}  // namespace tandem::check
