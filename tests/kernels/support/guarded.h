// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/plane.h"

namespace tandem::check {

/// A plane whose rows are further apart than they are wide, surrounded by guard bytes: what a
/// kernel writes outside of its rectangle shows.
template <typename T>
class Guarded {
 public:
  Guarded(int width, int height, int gap = 7)
      : width_(width),
        height_(height),
        stride_(width + gap),
        bytes_((static_cast<std::size_t>(stride_) * (height + 2 * kGuardRows) + kGuard) * sizeof(T),
               kGuardByte) {}

  Plane<T> plane() {
    return {reinterpret_cast<T*>(bytes_.data()) + kGuardRows * stride_ + kGuard / 2, width_,
            height_, stride_};
  }
  Plane<const T> plane() const { return const_cast<Guarded*>(this)->plane(); }
  T* row(int y) { return plane().row(y); }
  const T* row(int y) const { return plane().row(y); }
  int width() const { return width_; }
  int height() const { return height_; }

  /// All bytes but those of the rows `written` are as they were made.
  testing::AssertionResult intact_outside(Rows written) const {
    const auto* first = reinterpret_cast<const unsigned char*>(row(0));
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (bytes_[i] == kGuardByte) continue;
      const auto offset = static_cast<std::ptrdiff_t>(i) - (first - bytes_.data());
      const auto element = offset / static_cast<std::ptrdiff_t>(sizeof(T));
      const bool inside = offset >= 0 && element % stride_ < width_ &&
                          element / stride_ >= written.begin && element / stride_ < written.end;
      if (!inside) {
        return testing::AssertionFailure()
               << "byte " << offset << " of the plane was written: row " << element / stride_
               << ", column " << element % stride_ << " of " << width_ << "x" << height_
               << ", rows " << written.begin << " to " << written.end;
      }
    }
    return testing::AssertionSuccess();
  }
  testing::AssertionResult intact() const { return intact_outside({0, height_}); }

 private:
  static constexpr unsigned char kGuardByte = 0xa5;
  static constexpr int kGuardRows = 2, kGuard = 64;  // rows above and below; elements at the ends

  int width_, height_;
  std::ptrdiff_t stride_;
  std::vector<unsigned char> bytes_;
};

/// Element by element: equal bits.
template <typename T>
testing::AssertionResult same(const Guarded<T>& expected, const Guarded<T>& found) {
  for (int y = 0; y < expected.height(); ++y) {
    for (int x = 0; x < expected.width(); ++x) {
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): -0 is not 0 here
      if (std::memcmp(expected.row(y) + x, found.row(y) + x, sizeof(T)) != 0) {
        return testing::AssertionFailure() << "(" << x << ", " << y << "): expected "
                                           << +expected.row(y)[x] << ", found " << +found.row(y)[x];
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace tandem::check
