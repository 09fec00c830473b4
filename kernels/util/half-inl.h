// SPDX-License-Identifier: LGPL-2.1-or-later
// Vectors of floats from and to halves in memory.
#if defined(TANDEM_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_HALF_INL_H_
#undef TANDEM_HALF_INL_H_
#else
#define TANDEM_HALF_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/util/half.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

/// As many halves as `d` has floats.
template <class D>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<D> load_halves(D d, const Half* from) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::Rebind<hwy::float16_t, D> d16;
  return hn::PromoteTo(d, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
}

/// Rounds numbers as Half does.
template <class D>
HWY_INLINE void store_halves(hwy::HWY_NAMESPACE::Vec<D> v, D d, Half* to) {
  namespace hn = hwy::HWY_NAMESPACE;
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)) || HWY_ARCH_ARM_A64
  const hn::Rebind<hwy::float16_t, D> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t*>(to));
#else
  // The processor does not convert, and Highway would cut bits off.
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<int16_t, D> di16;
  const auto magnitude = hn::Min(hn::Abs(v), hn::Set(d, 65536.0f));
  const auto bits = hn::BitCast(du, magnitude);
  const auto odd = hn::And(hn::ShiftRight<Half::kBitsLess>(bits), hn::Set(du, 1));
  constexpr uint32_t kBiasLess = Half::kBiasLess << (Half::kMantissaBits + Half::kBitsLess);
  const auto rounding = hn::Add(odd, hn::Set(du, Half::kAlmostHalf - kBiasLess));
  const auto normal = hn::ShiftRight<Half::kBitsLess>(hn::Add(bits, rounding));
  const auto small =
      hn::Sub(hn::BitCast(du, hn::Add(magnitude, hn::Set(d, 0.5f))), hn::Set(du, Half::kHalfOfOne));
  const auto is_small = hn::RebindMask(du, hn::Lt(magnitude, hn::Set(d, 0x1p-14f)));
  const auto unsigned_halves = hn::BitCast(di, hn::IfThenElse(is_small, small, normal));
  const auto sign = hn::ShiftRight<16>(hn::BitCast(di, hn::And(v, hn::SignBit(d))));
  hn::StoreU(hn::DemoteTo(di16, hn::Or(unsigned_halves, sign)), di16,
             reinterpret_cast<int16_t*>(&to->bits));
#endif
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#endif
