// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/half.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/util/half.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/util/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

void widen_row(const Half* from, int count, float* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::CappedTag<float, 16> d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(load_halves(d, from + i), d, to + i);
  if (i == count) return;
  if (count >= kLanes) {  // the last vector reaches back over what is done
    hn::StoreU(load_halves(d, from + count - kLanes), d, to + count - kLanes);
    return;
  }
  for (; i < count; ++i) to[i] = from[i];
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(widen_row);

void widen(const Half* from, int count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_row)(from, count, to);
}

}  // namespace tandem
#endif
