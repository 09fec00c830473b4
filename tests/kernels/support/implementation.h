// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kernels/plane.h"

/// What the checks of all kernels share: an implementation under test, SIMD targets, seeds, bands.
namespace tandem::check {

/// One way to compute a kernel, to be compared with its reference.
template <typename Function>
struct Implementation {
  std::string name;
  std::function<Function> run;
  bool fused = true;        ///< has fused multiply-adds: where the contract says so, exact
  bool thread_safe = true;  ///< may be called from many threads at once
  int64_t target = 0;       ///< Highway target to run on, 0 = the best
};

template <typename Function>
void PrintTo(const Implementation<Function>& implementation, std::ostream* out) {
  *out << implementation.name;
}

struct SimdTarget {
  int64_t target = 0;
  std::string name;
  bool fused = false;
  bool own_vectors = false;  ///< Highway chooses the instructions, not the compiler
};
inline void PrintTo(const SimdTarget& target, std::ostream* out) { *out << target.name; }

/// The Highway targets that this processor can run, best first.
std::vector<SimdTarget> simd_targets();

/// The target that kernels run on.
SimdTarget current_simd_target();

/// Makes all kernels of the process run on `target` until changed; 0 = the best.
void use_simd_target(int64_t target);

/// The implementation `run` once for each Highway target.
template <typename Function>
std::vector<Implementation<Function>> on_each_simd_target(Function* run) {
  std::vector<Implementation<Function>> all;
  for (const SimdTarget& t : simd_targets()) {
    all.push_back({"simd_" + t.name, run, t.fused, true, t.target});
  }
  return all;
}

/// A test that runs once for each implementation.
template <typename Function>
class KernelTest : public testing::TestWithParam<Implementation<Function>> {
 protected:
  void SetUp() override { use_simd_target(this->GetParam().target); }
  void TearDown() override { use_simd_target(0); }
};

/// For INSTANTIATE_TEST_SUITE_P: names tests after the implementation.
struct ImplementationName {
  template <typename ParamInfo>
  std::string operator()(const ParamInfo& info) const {
    return info.param.name;
  }
};

/// The seed of this run: TANDEM_TEST_SEED or a random one; the program prints it.
uint32_t seed();

/// The k-th independent generator of this run.
inline std::mt19937 generator(uint32_t k) {
  std::seed_seq sequence{seed(), k};
  return std::mt19937(sequence);
}

inline int random_int(std::mt19937& random, int least, int greatest) {
  return std::uniform_int_distribution<int>(least, greatest)(random);
}

/// How often to repeat a random case that would run `times` times: sanitizers slow the references
/// down thirtyfold.
constexpr int repetitions(int times) {
#ifdef TANDEM_SANITIZED
  return (times + 7) / 8;
#else
  return times;
#endif
}

/// Ways to cut [0, rows) into bands: single rows from the last to the first, and two bands for each
/// place to cut.
inline std::vector<std::vector<Rows>> every_split(int rows) {
  std::vector<std::vector<Rows>> splits(1);
  for (int y = rows - 1; y >= 0; --y) splits[0].push_back({y, y + 1});
  for (int cut = 0; cut <= rows; ++cut) splits.push_back({{cut, rows}, {0, cut}});
  return splits;
}

/// Calls run(band) for `threads` bands of [0, rows) at once.
inline void in_threads(int rows, int threads, const std::function<void(Rows)>& run) {
  std::vector<std::thread> running;
  running.reserve(threads);
  for (int t = 0; t < threads; ++t) {
    running.emplace_back(run, Rows{rows * t / threads, rows * (t + 1) / threads});
  }
  for (std::thread& thread : running) thread.join();
}

}  // namespace tandem::check
