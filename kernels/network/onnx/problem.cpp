// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/problem.h"

#include "files/terminal_text.h"

namespace tandem::network::reader {

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kMostBytes = 100;
  return "'" + terminal_text(name, kMostBytes) + "'";
}

std::string text_of(const Shape& shape) {
  if (shape.empty()) return "a scalar";
  std::string text;
  for (const int64_t side : shape) text += (text.empty() ? "" : " x ") + std::to_string(side);
  return text;
}

}  // namespace tandem::network::reader
