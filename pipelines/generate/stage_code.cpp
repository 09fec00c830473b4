// SPDX-License-Identifier: LGPL-2.1-or-later
// The code of parts.
#include <algorithm>

#include "pipelines/generate/stage_builder.h"

namespace tandem::generate {
namespace {

int halo_of(const std::vector<Range>& reach) {
  long halo = 0;
  for (const Range& range : reach) halo = std::max({halo, -range.least, range.most});
  return static_cast<int>(halo);
}

}  // namespace

std::string StageBuilder::scalar_word(Part& part, const Symbol& symbol) {
  if (const auto own = part.words.find(symbol); own != part.words.end()) return own->second;
  if (program_.scalar(symbol) && made_.contains(symbol)) {
    read_made(part, made_.at(symbol));
    return made_.at(symbol) + "[0]";
  }
  return names_(symbol);
}

// Sizes, and numbers that the function declares in front of its loops.
std::string StageBuilder::prologue(Part& part, const std::set<Symbol>& uses,
                                   std::set<Symbol>& done) {
  std::string text;
  for (const Scalar& scalar : program_.scalars) {
    if (!uses.contains(scalar.symbol) || !done.insert(scalar.symbol).second) continue;
    if (part.words.contains(scalar.symbol) || made_.contains(scalar.symbol)) continue;
    if (const auto value = layout_.values.find(scalar.symbol); value != layout_.values.end()) {
      text += "const int " + names_(scalar.symbol) + " = " + text_of(value->second, names_) + ";\n";
      continue;
    }
    if (scalar.is_parameter) continue;
    if (part.nest && std::ranges::any_of(part.nest->levels, [&](const Level& level) {
          return level.loop.variable == scalar.symbol;
        }))
      continue;
    const std::string type = scalar.is_real ? "float " : "int ";
    if (part.nest &&
        std::ranges::find(part.nest->privates, scalar.symbol) != part.nest->privates.end()) {
      text += type + names_(scalar.symbol) + ";\n";
      continue;
    }
    if (!scalar.init) continue;  // a variable of a loop
    // The declaration is read where it is used, which is as good as where it stands only then.
    for (const Symbol& each : symbols_of(*scalar.init))
      if (const auto in = reduced_in_.find(each);
          in != reduced_in_.end() && in->second >= scalar.order)
        program_.refuse(scalar.at, "'" + name_of_symbol(scalar.symbol) + "' needs '" +
                                       name_of_symbol(each) + "' before it is reduced");
    text += prologue(part, symbols_of(*scalar.init), done);
    text += "const " + type + names_(scalar.symbol) + " = " + code(part, *scalar.init) + ";\n";
  }
  return text;
}

std::string StageBuilder::code(Part& part, Span span) {
  return write_code(program_, span, names_, [&](const Token& token) -> std::optional<Replacement> {
    if (part.nest) {
      const ArrayAccess* widest = nullptr;
      for (const ArrayAccess& each : part.nest->accesses)
        if (each.span.begin == token.span.begin && (!widest || each.span.end > widest->span.end))
          widest = &each;
      if (widest) return Replacement{access(part, *widest), widest->span.end};
    }
    if (token.symbol.empty()) return {};
    return Replacement{scalar_word(part, token.symbol), token.span.end};
  });
}

std::string StageBuilder::flat_index(Part& part, const ArrayAccess& access) {
  const Array& array = *program_.array(access.array);
  std::string text;
  for (std::size_t d = 0; d < access.index_spans.size(); ++d) {
    const std::string index = code(part, access.index_spans[d]);
    if (d == 0) {
      text = index;
      continue;
    }
    const long size = array.sizes[d].with(layout_.values).constant;
    text = operand(text) + " * " + std::to_string(size) + " + " + operand(index);
  }
  return text;
}

std::string StageBuilder::plane_offsets(const Part& part, const ArrayAccess& access) const {
  std::vector<std::string> offsets;
  for (std::size_t d = 0; d < access.indices.size(); ++d)
    offsets.push_back(
        text_of((*access.indices[d] - part.grid->indices[d]).with(layout_.values), names_));
  switch (layout_.kind) {
    case Layout::Kind::kFrame:
      return offsets[1] + ", " + offsets[0];
    case Layout::Kind::kRows:
      return offsets[0] + ", 0";
    default:
      return "0, 0";
  }
}

std::string StageBuilder::read_element(Part& part, const Symbol& symbol, const std::string& at,
                                       int halo, Place place) {
  const Array& array = *program_.array(symbol);
  const bool plane = layout_.is_plane(array);
  const std::string behind = plane ? "(" + at + ")" : "[" + at + "]";
  std::string before;
  if (const auto made = made_.find(symbol); made != made_.end()) {
    read(part, made->second, "", array, halo);
    before = made->second + behind;
  } else if (array.is_parameter) {
    read(part, input_name(symbol), input_tensor(symbol), array, halo);
    before = input_name(symbol) + behind;
  }
  const auto passed = part.passed.find(symbol);
  if (passed == part.passed.end()) {
    if (before.empty() && !array.is_zeroed)
      program_.refuse(place, "'" + name_of_symbol(symbol) + "' is read before it is written");
    return before.empty() ? "0" : before;
  }
  for (StageWrite& write : part.part.writes)
    if (write.name == passed->second) write.halo = std::max(write.halo, halo);
  const std::string own = passed->second + (plane ? "" : "_before") + behind;
  return "(pass == 0 ? " + (before.empty() ? "0" : before) + " : " + own + ")";
}

std::string StageBuilder::access(Part& part, const ArrayAccess& access) {
  if (const auto own = part.own.find(access.array); own != part.own.end()) return own->second;
  if (const auto word = part.words.find(access.array); word != part.words.end())
    return word->second + "[" + flat_index(part, access) + "]";
  if (!layout_.is_plane(*program_.array(access.array)))
    return read_element(part, access.array, flat_index(part, access), 0, access.at);
  const auto reach = reach_of(access, *part.grid, layout_.values);
  return read_element(part, access.array, plane_offsets(part, access), halo_of(*reach), access.at);
}

std::string StageBuilder::own_before(Part& part, const Symbol& symbol) {
  const Array& array = *program_.array(symbol);
  if (layout_.is_plane(array)) return read_element(part, symbol, "0, 0", 0, array.at);
  const StageShape shape = layout_.shape_of(array);
  const std::string at =
      shape.constants.size() == 1 ? "x" : "y * " + std::to_string(shape.constants.back()) + " + x";
  return read_element(part, symbol, at, 0, array.at);
}

bool StageBuilder::needs_before(const Part& part, const Symbol& symbol, bool guarded) const {
  if (guarded) return true;
  const auto& accesses = part.nest->accesses;
  return std::ranges::none_of(accesses, [&](const ArrayAccess& write) {
    return write.array == symbol && write.writes && !write.reads && write.always &&
           write.levels == part.grid->depth &&
           std::ranges::none_of(accesses, [&](const ArrayAccess& read) {
             return read.array == symbol && read.reads && read.span.begin < write.assignment.end;
           });
  });
}

std::string StageBuilder::element(Part& part, const std::string& before, const std::string& after) {
  const Nest& nest = *part.nest;
  const Array& array = *program_.array(part.grid->array);
  const auto inverse = inverse_of(part.grid->indices, loops_of(nest, part.grid->depth), array.sizes,
                                  layout_.places_of(array), layout_.values, names_);
  if (!inverse)
    program_.refuse(nest.at, "several iterations may write one element of '" +
                                 name_of_symbol(part.grid->array) + "'");
  std::set<Symbol> done;
  std::string text = prologue(part, nest.uses, done);
  for (const Inverse::Definition& each : inverse->definitions)
    text += "const int " + names_(each.variable) + " = " + each.value + ";\n";
  const bool guarded = !inverse->guards.empty();
  if (part.passed.empty()) {
    for (const auto& [symbol, name] : part.own) {
      if (!needs_before(part, symbol, guarded)) continue;
      const Array& own = *program_.array(symbol);
      const bool unset = !own.is_parameter && !own.is_zeroed && !made_.contains(symbol);
      text += name + " = " + (unset ? "0" : own_before(part, symbol)) + ";\n";
    }
  }
  std::string guard;
  for (const std::string& each : inverse->guards) guard += (guard.empty() ? "" : " && ") + each;
  if (guarded) text += "if (" + guard + ") {\n";
  text += before;
  for (std::size_t k = 1; k < part.grid->depth; ++k)
    for (const Span& declaration : nest.levels[k].before) text += code(part, declaration) + "\n";
  text += code(part, nest.levels[part.grid->depth - 1].body);
  if (text.back() != '}' && text.back() != ';') text += ";";
  text += "\n" + after;
  if (guarded) text += "}\n";
  return text;
}

}  // namespace tandem::generate
