// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdlib>

#include "tests/kernels/support/bench.h"
#include "tests/kernels/support/implementation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/support/simd_target.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::check {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

bool fused() { return HWY_NATIVE_FMA != 0; }
int64_t target() { return HWY_TARGET; }

/// Runs `rounds` times 12 independent chains, enough to hide the latency of two units; returns the
/// floating-point operations.
double multiply_add(int rounds, float* out) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, out[0]), term = hn::Set(d, out[1]);
  auto a0 = hn::Iota(d, 0), a1 = hn::Iota(d, 1), a2 = hn::Iota(d, 2), a3 = hn::Iota(d, 3);
  auto a4 = hn::Iota(d, 4), a5 = hn::Iota(d, 5), a6 = hn::Iota(d, 6), a7 = hn::Iota(d, 7);
  auto a8 = hn::Iota(d, 8), a9 = hn::Iota(d, 9), a10 = hn::Iota(d, 10), a11 = hn::Iota(d, 11);
  for (int i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, factor, term);
    a1 = hn::MulAdd(a1, factor, term);
    a2 = hn::MulAdd(a2, factor, term);
    a3 = hn::MulAdd(a3, factor, term);
    a4 = hn::MulAdd(a4, factor, term);
    a5 = hn::MulAdd(a5, factor, term);
    a6 = hn::MulAdd(a6, factor, term);
    a7 = hn::MulAdd(a7, factor, term);
    a8 = hn::MulAdd(a8, factor, term);
    a9 = hn::MulAdd(a9, factor, term);
    a10 = hn::MulAdd(a10, factor, term);
    a11 = hn::MulAdd(a11, factor, term);
  }
  a0 =
      hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  hn::StoreU(hn::Add(a0, hn::Add(hn::Add(a8, a9), hn::Add(a10, a11))), d, out);
  return 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * rounds;
}

/// a = b + factor * c.
void triad(float* HWY_RESTRICT a, const float* HWY_RESTRICT b, const float* HWY_RESTRICT c,
           std::size_t count) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.5f);
  for (std::size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d))
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, a + i);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem::check
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::check {

HWY_EXPORT(fused);
HWY_EXPORT(target);
HWY_EXPORT(multiply_add);
HWY_EXPORT(triad);

std::vector<SimdTarget> simd_targets() {
  std::vector<SimdTarget> targets;
  use_simd_target(0);
  for (const int64_t t : hwy::SupportedAndGeneratedTargets()) {
    use_simd_target(t);
    targets.push_back(current_simd_target());
    // A mask without effect would test the best target again and again.
    if (targets.back().target != t) std::abort();
  }
  use_simd_target(0);
  return targets;
}

SimdTarget current_simd_target() {
  const int64_t t = HWY_DYNAMIC_DISPATCH(target)();
  return {t, hwy::TargetName(t), HWY_DYNAMIC_DISPATCH(fused)(),
          (t & (HWY_SCALAR | HWY_EMU128)) == 0};
}

void use_simd_target(int64_t t) {
  hwy::SetSupportedTargetsForTest(t);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

double measure_fma_peak_gflops() {
  constexpr int kRounds = 100000;
  // 16 floats are the widest vector of x86. HWY_MAX_BYTES belongs to the last compiled target here.
  alignas(64) float values[16] = {0.999f, 0.001f};
  const double start = core_seconds();
  const double operations = HWY_DYNAMIC_DISPATCH(multiply_add)(kRounds, values);
  const double time = core_seconds() - start;
  benchmark::DoNotOptimize(values[0]);
  return 1e-9 * operations / time;
}

double measure_triad_gbps() {
  constexpr std::size_t kCount = (std::size_t{64} << 20) / sizeof(float);
  static std::vector<float> arrays(3 * kCount, 1.0f);
  float* const a = arrays.data();
  const double start = core_seconds();
  HWY_DYNAMIC_DISPATCH(triad)(a, a + kCount, a + 2 * kCount, kCount);
  const double time = core_seconds() - start;
  benchmark::DoNotOptimize(arrays[0]);
  return 1e-9 * 3 * sizeof(float) * kCount / time;
}

}  // namespace tandem::check
#endif
