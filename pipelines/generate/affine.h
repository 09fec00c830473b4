// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tandem::generate {

/// A variable of the loops' file: its name, and where it was declared, because several may have one
/// name: "k#123". Words without '#', such as "width", are written as they are.
using Symbol = std::string;
std::string name_of_symbol(const Symbol& symbol);

/// Sizes may be products of parameters, each of which is one symbol of a sum: "h#4.w#9". A symbol
/// that is not a product is its own factor.
std::vector<Symbol> factors_of(const Symbol& symbol);
Symbol product_of(std::vector<Symbol> factors);

/// Numbers of sums are within this and its negative: no int of C is beyond, and products of two fit
/// in a long.
inline constexpr long kMostNumber = long{1} << 31;

/// A sum of symbols times whole numbers: 2*i + k - 1. The functions that make
/// one throw std::overflow_error if a number is beyond kMostNumber.
struct Affine {
  std::map<Symbol, long> terms;  ///< none is 0
  long constant = 0;

  Affine() = default;
  Affine(long value);
  static Affine of(const Symbol& symbol);

  bool operator==(const Affine&) const = default;
  bool is_constant() const { return terms.empty(); }
  long coefficient(const Symbol& symbol) const;
  /// Also as a factor.
  bool mentions(const Symbol& symbol) const;
  /// Whether no product has two factors of which one is such a variable.
  bool is_linear(const std::function<bool(const Symbol&)>& is_variable) const;
  /// With each symbol that is a key replaced by its value.
  Affine with(const std::map<Symbol, Affine>& values) const;
};

Affine operator+(Affine a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator*(Affine a, long factor);
Affine product(const Affine& a, const Affine& b);

/// As C; `name` returns the name of a symbol.
std::string text_of(const Affine& a, const std::function<std::string(const Symbol&)>& name);

}  // namespace tandem::generate
