// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/affine.h"

#include <cstdlib>

namespace tandem::generate {

std::string name_of_symbol(const Symbol& symbol) { return symbol.substr(0, symbol.find('#')); }

Affine Affine::of(const Symbol& symbol) {
  Affine a;
  a.terms[symbol] = 1;
  return a;
}

long Affine::coefficient(const Symbol& symbol) const {
  const auto found = terms.find(symbol);
  return found == terms.end() ? 0 : found->second;
}

Affine Affine::with(const std::map<Symbol, Affine>& values) const {
  Affine sum(constant);
  for (const auto& [symbol, times] : terms) {
    const auto found = values.find(symbol);
    sum = sum + (found == values.end() ? of(symbol) : found->second) * times;
  }
  return sum;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant += b.constant;
  for (const auto& [symbol, times] : b.terms)
    if ((a.terms[symbol] += times) == 0) a.terms.erase(symbol);
  return a;
}

Affine operator-(const Affine& a, const Affine& b) { return a + b * -1; }

Affine operator*(Affine a, long factor) {
  if (factor == 0) return {};
  a.constant *= factor;
  for (auto& [symbol, times] : a.terms) times *= factor;
  return a;
}

std::optional<Affine> product(const Affine& a, const Affine& b) {
  if (b.is_constant()) return a * b.constant;
  if (a.is_constant()) return b * a.constant;
  return {};
}

std::string text_of(const Affine& a, const std::function<std::string(const Symbol&)>& name) {
  std::string text;
  const auto sign = [&](long value) {
    if (text.empty()) {
      if (value < 0) text += '-';
    } else {
      text += value < 0 ? " - " : " + ";
    }
  };
  for (const auto& [symbol, times] : a.terms) {
    sign(times);
    if (std::labs(times) != 1) text += std::to_string(std::labs(times)) + " * ";
    text += name(symbol);
  }
  if (a.constant != 0 || text.empty()) {
    sign(a.constant);
    text += std::to_string(std::labs(a.constant));
  }
  return text;
}

}  // namespace tandem::generate
