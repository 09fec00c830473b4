// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pipelines/generate/affine.h"

namespace tandem::generate {

/// A number that depends on the size of the frame: 4*width*height-8.
class Polynomial {
 public:
  Polynomial(double constant = 0);
  /// Takes the symbols `width`, `height` and their product, with or without parentheses; other
  /// symbols count as 0.
  explicit Polynomial(const Affine& a);

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  double at(int width, int height) const;
  std::string text() const;
  /// Reads what text() writes; throws std::invalid_argument.
  static Polynomial read(const std::string& text);

 private:
  std::map<std::pair<int, int>, double> terms_;  // by the powers of width and height
};

}  // namespace tandem::generate
