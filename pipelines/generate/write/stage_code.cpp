// SPDX-License-Identifier: LGPL-2.1-or-later
// The code of parts.
#include <algorithm>

#include "kernels/stage_file/parse/names.h"
#include "pipelines/generate/write/stage_builder.h"

namespace tandem::generate {
namespace {

int halo_of(const std::vector<Range>& reach) {
  long halo = 0;
  for (const Range& range : reach) halo = std::max({halo, -range.least, range.most});
  return static_cast<int>(halo);
}

// The declarations that the code needs, in front of it.
std::string with_declarations(const std::string& declarations, std::string code) {
  for (std::size_t end = declarations.size(); end > 0;) {
    const std::size_t before = end > 1 ? declarations.rfind('\n', end - 2) : std::string::npos;
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::string line = declarations.substr(begin, end - begin);
    const std::string left = line.substr(0, line.find(" ="));
    const bool is_number = line.starts_with("const int ") && left.size() < line.size();
    if (!is_number || mentions(code, left.substr(left.rfind(' ') + 1))) code.insert(0, line);
    end = begin;
  }
  return code;
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
        program_.refuse(scalar.at, quoted_name(scalar.symbol) + " needs '" + name_of_symbol(each) +
                                       "' before it is reduced: declare it behind the loop");
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
    offsets.push_back(text_of((*access.indices[d] - part.grid->indices[d]).with(layout_.values),
                              [&](const Symbol& symbol) { return word(part, symbol); }));
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
      program_.refuse(
          place,
          quoted_name(symbol) +
              " is read before it is written: make it a parameter, or declare it with = {0}");
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
  return read_element(part, symbol, own_index(layout_.shape_of(array)), 0, array.at);
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

std::string StageBuilder::word(const Part& part, const Symbol& symbol) const {
  const auto found = part.words.find(symbol);
  return found == part.words.end() ? names_(symbol) : found->second;
}

std::string StageBuilder::block(Part& part, Span span, int depth, bool in_braces) {
  std::string text = code(part, span);
  if (!text.starts_with('{')) {
    if (!text.ends_with('}') && !text.ends_with(';')) text += ';';
    // The first line lacks the indentation that it has in the file.
    const std::size_t line = program_.text.rfind('\n', span.begin) + 1;
    const std::size_t first = program_.text.find_first_not_of(" \t", line);
    return indented(std::string(first - line, ' ') + text, depth);
  }
  // A name of the block may hide one of the stage.
  std::map<std::string, Symbol> names;
  for (const Symbol& symbol : part.nest->uses)
    if (!names.emplace(name_of_symbol(symbol), symbol).second) in_braces = true;
  const std::string inside = text.substr(1, text.size() - 2);
  if (!in_braces) return indented(inside, depth);
  return indented("{", depth) + indented(inside, depth + 1) + indented("}", depth);
}

std::string StageBuilder::element(Part& part, const std::string& before, const std::string& after) {
  const Nest& nest = *part.nest;
  const std::vector<Loop> loops = loops_of(nest, part.grid->depth);
  const Array& array = *program_.array(part.grid->array);
  const auto find = [&] {
    return inverse_of(part.grid->indices, loops, array.sizes, layout_.places_of(array),
                      layout_.values, [&](const Symbol& symbol) { return word(part, symbol); });
  };
  auto inverse = find();
  if (!inverse)
    program_.refuse(nest.at, "several iterations may write one element of " +
                                 quoted_name(part.grid->array) +
                                 ": write an index that each has alone");
  // x and y of the loops may be those of the stage.
  for (const Inverse::Definition& each : inverse->definitions)
    if (each.value == name_of_symbol(each.variable)) part.words[each.variable] = each.value;
  inverse = find();
  std::set<Symbol> done;
  std::string declarations = prologue(part, nest.uses, done);
  std::string text;
  for (const Inverse::Definition& each : inverse->definitions)
    if (!part.words.contains(each.variable))
      declarations += "const int " + names_(each.variable) + " = " + each.value + ";\n";
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
  const int depth = guarded ? 1 : 0;
  text += indented(before, depth);
  for (std::size_t k = 1; k < part.grid->depth; ++k)
    for (const Span& declaration : nest.levels[k].before)
      text += block(part, declaration, depth, false);
  const bool skips = nest.skips == part.grid->depth;
  if (skips) {  // `continue` needs a loop that it ends
    const std::string once = names_.fresh("once");
    text += indented("for (int " + once + " = 0; " + once + " < 1; ++" + once + ") {", depth);
  }
  text += block(part, nest.levels[part.grid->depth - 1].body, skips ? depth + 1 : depth,
                !guarded && !skips && !before.empty());
  if (skips) text += indented("}", depth);
  text += indented(after, depth);
  if (guarded) text += "}\n";
  for (const Loop& loop : loops) part.words.erase(loop.variable);
  return with_declarations(declarations, text);
}

}  // namespace tandem::generate
