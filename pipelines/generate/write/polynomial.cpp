// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/polynomial.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace tandem::generate {

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_[{0, 0}] = constant;
}

Polynomial::Polynomial(const Affine& a) : Polynomial(static_cast<double>(a.constant)) {
  constexpr std::pair<const char*, std::pair<int, int>> kWords[] = {{"width", {1, 0}},
                                                                    {"height", {0, 1}},
                                                                    {"(width * height)", {1, 1}},
                                                                    {"height.width", {1, 1}}};
  for (const auto& [word, powers] : kWords)
    if (const long times = a.coefficient(word); times != 0)
      terms_[powers] = static_cast<double>(times);
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  for (const auto& [powers, factor] : other.terms_)
    if ((sum.terms_[powers] += factor) == 0) sum.terms_.erase(powers);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial product;
  for (const auto& [a, x] : terms_) {
    Polynomial line;
    for (const auto& [b, y] : other.terms_)
      line.terms_[{a.first + b.first, a.second + b.second}] = x * y;
    product = product + line;
  }
  return product;
}

double Polynomial::at(int width, int height) const {
  double sum = 0;
  for (const auto& [powers, factor] : terms_)
    sum += factor * std::pow(width, powers.first) * std::pow(height, powers.second);
  return sum;
}

std::string Polynomial::text() const {
  std::string text;
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    const auto& [powers, factor] = *term;
    if (!text.empty() && factor > 0) text += '+';
    char number[32];
    text.append(number, std::to_chars(number, number + sizeof number, factor).ptr);
    for (int i = 0; i < powers.first; ++i) text += "*width";
    for (int i = 0; i < powers.second; ++i) text += "*height";
  }
  return text.empty() ? "0" : text;
}

Polynomial Polynomial::read(const std::string& text) {
  Polynomial sum;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == '+') ++at;
    double factor = 0;
    const auto [behind, error] = std::from_chars(at, end, factor);
    if (error != std::errc()) throw std::invalid_argument("'" + text + "' is not a number");
    at = behind;
    std::pair<int, int> powers{0, 0};
    while (at != end && *at == '*') {
      const std::string rest(at + 1, end);
      const bool width = rest.starts_with("width");
      if (!width && !rest.starts_with("height"))
        throw std::invalid_argument("'" + text + "' has an unknown word");
      ++(width ? powers.first : powers.second);
      at += width ? 6 : 7;
    }
    Polynomial term;
    term.terms_[powers] = factor;
    sum = sum + term;
  }
  return sum;
}

}  // namespace tandem::generate
