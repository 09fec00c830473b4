// SPDX-License-Identifier: LGPL-2.1-or-later
// Votes on any other target.
#if defined(TANDEM_VIVID_FILTER_PLAIN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VIVID_FILTER_PLAIN_INL_H_
#undef TANDEM_VIVID_FILTER_PLAIN_INL_H_
#else
#define TANDEM_VIVID_FILTER_PLAIN_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/vivid_filter/vivid_filter.h"

#if !HWY_ARCH_X86 || HWY_TARGET > HWY_SSSE3
HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// The neighbourhood of kLanes pixels, row by row.
struct Neighbours {
  V v[9];
};

HWY_INLINE Neighbours load_neighbours(const float* above, const float* here, const float* below) {
  const D d;
  return {{hn::LoadU(d, above), hn::LoadU(d, above + 1), hn::LoadU(d, above + 2),
           hn::LoadU(d, here), hn::LoadU(d, here + 1), hn::LoadU(d, here + 2), hn::LoadU(d, below),
           hn::LoadU(d, below + 1), hn::LoadU(d, below + 2)}};
}

struct Votes {
  V strength, strongest;
  uint8_t* index;

  HWY_INLINE explicit Votes(uint8_t* index_out)
      : strength(hn::Zero(D())), strongest(hn::Zero(D())), index(index_out) {}
  HWY_INLINE void add(V r, int k) {
    const V magnitude = hn::Abs(r);
    const auto won = hn::Gt(magnitude, strength);
    strongest = hn::IfThenElse(won, hn::Set(D(), static_cast<float>(k)), strongest);
    strength = hn::IfThenElse(won, magnitude, strength);
  }
  HWY_INLINE void finish(float* weight) const {
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<uint8_t, D> d8;
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, strongest)), d8, index);
    hn::StoreU(strength, D(), weight);
  }
};

HWY_INLINE V respond(const float* filter, const Neighbours& n) {
  const D d;
  V r = hn::Mul(hn::Set(d, filter[0]), n.v[0]);
  r = hn::MulAdd(hn::Set(d, filter[1]), n.v[1], r);
  r = hn::MulAdd(hn::Set(d, filter[2]), n.v[2], r);
  r = hn::MulAdd(hn::Set(d, filter[3]), n.v[3], r);
  r = hn::MulAdd(hn::Set(d, filter[4]), n.v[4], r);
  r = hn::MulAdd(hn::Set(d, filter[5]), n.v[5], r);
  r = hn::MulAdd(hn::Set(d, filter[6]), n.v[6], r);
  r = hn::MulAdd(hn::Set(d, filter[7]), n.v[7], r);
  return hn::MulAdd(hn::Set(d, filter[8]), n.v[8], r);
}

constexpr int kTile = kLanes;

/// Votes of kTile pixels; `above`, `here` and `below` point at their left neighbours.
void vote(const float* above, const float* here, const float* below, const FilterBank& bank,
          uint8_t* index, float* weight) {
  const Neighbours n = load_neighbours(above, here, below);
  Votes votes(index);
  const float* filters = bank.coefficients.data();
  for (int k = 0; k < bank.count; ++k) votes.add(respond(filters + 9 * k, n), k);
  votes.finish(weight);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();
#endif

#endif
