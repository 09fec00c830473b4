// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/loop_program.h"

#include <algorithm>

#include "kernels/stage_file/parse/directive.h"

namespace tandem::generate {

Place place_in(const std::string& text, std::size_t offset) {
  const std::string before = text.substr(0, offset);
  const std::size_t line_ends = before.rfind('\n');
  return {static_cast<int>(1 + std::ranges::count(before, '\n')),
          static_cast<int>(line_ends == before.npos ? offset + 1 : offset - line_ends)};
}

std::string quoted(const std::string& name) {
  std::string text("'");
  return text.append(name).append("'");
}

std::string quoted_name(const Symbol& symbol) { return quoted(name_of_symbol(symbol)); }

Refusal::Refusal(const std::string& path, Place at, const std::string& reason)
    : std::runtime_error(at_line(path, at.line, at.column, reason)) {}

const Array* LoopProgram::array(const Symbol& symbol) const {
  const auto found = std::ranges::find(arrays, symbol, &Array::symbol);
  return found == arrays.end() ? nullptr : &*found;
}

const Scalar* LoopProgram::scalar(const Symbol& symbol) const {
  const auto found = std::ranges::find(scalars, symbol, &Scalar::symbol);
  return found == scalars.end() ? nullptr : &*found;
}

void LoopProgram::refuse(Place at, const std::string& reason) const {
  throw Refusal(path, at, reason);
}

}  // namespace tandem::generate
