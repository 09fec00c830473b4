// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem {

/// exp(-(i - centre)^2 / (2 sigma^2)) at whole places i within `reach` of the middle one: a
/// Gaussian in x and y is the product of two.
class Bell {
 public:
  static constexpr int kMostReach = 64;

  Bell(float centre, int middle, float sigma, int reach);

  float at(int place) const { return values_[place - first_]; }
  const float* from(int place) const { return values_ + (place - first_); }
  int reach() const { return reach_; }

 private:
  int first_, reach_;
  float values_[2 * kMostReach + 1 + 16];  // vectors may read, not use, some behind the end
};

}  // namespace tandem
