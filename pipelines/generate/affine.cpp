// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/affine.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace tandem::generate {

namespace {
constexpr char kTimes = '.';

long bounded(long number) {
  if (number > kMostNumber || number < -kMostNumber)
    throw std::overflow_error("a number of the loops' sizes or indices is beyond 2147483648");
  return number;
}
}  // namespace

Affine::Affine(long value) : constant(bounded(value)) {}

std::string name_of_symbol(const Symbol& symbol) { return symbol.substr(0, symbol.find('#')); }

std::vector<Symbol> factors_of(const Symbol& symbol) {
  std::vector<Symbol> factors;
  for (std::size_t at = 0; at <= symbol.size();) {
    const std::size_t end = std::min(symbol.find(kTimes, at), symbol.size());
    factors.push_back(symbol.substr(at, end - at));
    at = end + 1;
  }
  return factors;
}

Symbol product_of(std::vector<Symbol> factors) {
  std::ranges::sort(factors);
  Symbol product;
  for (const Symbol& factor : factors) {
    if (!product.empty()) product += kTimes;
    product += factor;
  }
  return product;
}

Affine Affine::of(const Symbol& symbol) {
  Affine a;
  a.terms[symbol] = 1;
  return a;
}

long Affine::coefficient(const Symbol& symbol) const {
  const auto found = terms.find(symbol);
  return found == terms.end() ? 0 : found->second;
}

bool Affine::mentions(const Symbol& symbol) const {
  return std::ranges::any_of(terms, [&](const auto& term) {
    const auto factors = factors_of(term.first);
    return term.first == symbol || std::ranges::find(factors, symbol) != factors.end();
  });
}

bool Affine::is_linear(const std::function<bool(const Symbol&)>& is_variable) const {
  return std::ranges::all_of(terms, [&](const auto& term) {
    const auto factors = factors_of(term.first);
    return factors.size() == 1 || std::ranges::none_of(factors, is_variable);
  });
}

Affine Affine::with(const std::map<Symbol, Affine>& values) const {
  Affine sum(constant);
  for (const auto& [symbol, times] : terms) {
    Affine value(1);
    for (const Symbol& factor : factors_of(symbol)) {
      const auto found = values.find(factor);
      value = product(value, found == values.end() ? of(factor) : found->second);
    }
    sum = sum + value * times;
  }
  return sum;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant = bounded(a.constant + b.constant);
  for (const auto& [symbol, times] : b.terms) {
    long& sum = a.terms[symbol];
    sum = bounded(sum + times);
    if (sum == 0) a.terms.erase(symbol);
  }
  return a;
}

Affine operator-(const Affine& a, const Affine& b) { return a + b * -1; }

Affine operator*(Affine a, long factor) {
  if (factor == 0) return {};
  const long most = bounded(factor);
  a.constant = bounded(a.constant * most);
  for (auto& [symbol, times] : a.terms) times = bounded(times * most);
  return a;
}

Affine product(const Affine& a, const Affine& b) {
  Affine sum(a.constant * b.constant);
  sum = sum + (a - Affine(a.constant)) * b.constant + (b - Affine(b.constant)) * a.constant;
  for (const auto& [x, m] : a.terms) {
    for (const auto& [y, n] : b.terms) {
      auto factors = factors_of(x);
      const auto others = factors_of(y);
      factors.insert(factors.end(), others.begin(), others.end());
      sum = sum + Affine::of(product_of(factors)) * bounded(m * n);
    }
  }
  return sum;
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
    const auto factors = factors_of(symbol);
    for (std::size_t i = 0; i < factors.size(); ++i)
      text += (i > 0 ? " * " : "") + name(factors[i]);
  }
  if (a.constant != 0 || text.empty()) {
    sign(a.constant);
    text += std::to_string(std::labs(a.constant));
  }
  return text;
}

}  // namespace tandem::generate
