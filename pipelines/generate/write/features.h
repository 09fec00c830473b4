// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>

#include "pipelines/generate/affine.h"
#include "pipelines/generate/layout/layout.h"

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

/// The static features of a stage's code (Zhang, tables 1 and 2): numbers by the names
/// that docs/generate.md lists, in bytes where they are sizes.
using Features = std::map<std::string, Polynomial>;

Features features_of(const LoopProgram& program, const Layout& layout, const StageFile& file);

/// The comment line "// features: name=value name=value\n".
std::string features_line(const Features& features);
/// The features in a stage file's text, for frames of a size. Empty: it has none. Throws
/// std::invalid_argument.
std::map<std::string, double> read_features(const std::string& stage, int width, int height);

}  // namespace tandem::generate
