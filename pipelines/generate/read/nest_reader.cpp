// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/nest_reader.h"

#include <algorithm>

namespace tandem::generate {

bool NestReader::is_counter(const Symbol& symbol) const {
  return std::ranges::find(counters_, symbol) != counters_.end();
}

std::optional<Affine> NestReader::value_of(const Symbol& symbol) const {
  if (is_counter(symbol)) return Affine::of(symbol);
  if (const auto local = locals_.find(symbol); local != locals_.end()) return local->second.value;
  return size_of(program_, symbol, uses_.numbers);
}

// No product has a loop's variable.
bool NestReader::is_linear(const Affine& a) const {
  return a.is_linear([this](const Symbol& each) { return is_counter(each); });
}

std::optional<Affine> NestReader::affine(CXCursor expression) const {
  return affine_of(source_, expression, [this](const Symbol& each) { return value_of(each); });
}

std::optional<Loop> NestReader::counted(CXCursor loop) const {
  auto read = counted_loop(source_, loop, [this](const Symbol& each) { return value_of(each); });
  if (read && read->begin && !is_linear(*read->begin)) read->begin.reset();
  if (read && read->end && !is_linear(*read->end)) read->end.reset();
  return read;
}

std::vector<Loop> NestReader::loops() const {
  std::vector<Loop> all;
  for (const Level& level : nest_.levels) all.push_back(level.loop);
  all.insert(all.end(), inner_.begin(), inner_.end());
  return all;
}

Nest NestReader::read(const Pragma& pragma, CXCursor loop, const std::optional<Loop>& time) {
  nest_ = {};
  nest_.parallel = pragma.collapse;
  nest_.at = source_.place(loop);
  nest_.loops_around = time ? 1 : 0;
  locals_.clear();
  counters_.clear();
  facts_.clear();
  if (time) counters_.push_back(time->variable);
  in_nest_ = true;
  take_clauses(pragma);
  updates_.emplace(source_, nest_.reductions);
  walk_level(loop, true);
  in_nest_ = false;
  for (const Reduction& reduction : nest_.reductions)
    if (!updates_->changes(reduction.symbol))
      throw Refusal(source_.path(), reduction.at,
                    "the loop never changes " + quoted_name(reduction.symbol) +
                        ": take it out of the reduction");
  if (nest_.levels.size() < nest_.parallel)
    source_.refuse(loop, "the loops of 'collapse' do not stand directly in each other");
  return std::move(nest_);
}

void NestReader::take_clauses(const Pragma& pragma) {
  const auto find = [&](const std::string& name, const auto& among) -> Symbol {
    for (const auto& each : among)
      if (name_of_symbol(each.symbol) == name) return each.symbol;
    return {};
  };
  for (Reduction reduction : pragma.reductions) {
    const Symbol symbol = reduction.is_array ? find(reduction.symbol, program_.arrays)
                                             : find(reduction.symbol, program_.scalars);
    if (symbol.empty() || (!reduction.is_array && program_.scalar(symbol)->is_parameter))
      throw Refusal(source_.path(), reduction.at,
                    "'" + reduction.symbol + "' is not a variable of the function");
    reduction.symbol = symbol;
    nest_.reductions.push_back(reduction);
  }
  for (const std::string& name : pragma.privates) {
    const Symbol symbol = find(name, program_.scalars);
    if (symbol.empty())
      source_.refuse(pragma.span.begin, "'" + name + "' is not a number of the function");
    nest_.privates.push_back(symbol);
    locals_[symbol] = {.level = 1};
  }
}

// A loop that the pragma is for, or one that stands directly in such a one: its iterations may
// turn out to be independent too.
void NestReader::walk_level(CXCursor loop, bool parallel) {
  auto counted = this->counted(loop);
  // Iterations are independent: downwards is as good as upwards.
  if (counted && counted->step == -1) counted->step = 1;
  const bool usable = counted && counted->begin && counted->end && counted->step > 0;
  if (parallel && !usable) refuse_loop(loop, counted);
  const auto parts = children(loop);
  if (!usable) return walk(loop);
  const bool declares = kind(parts[0]) == CXCursor_DeclStmt;
  if (!declares && !parallel && !locals_.contains(counted->variable))
    source_.refuse(loop, quoted_name(counted->variable) +
                             " is shared by the iterations: declare it in the loop");
  const CXCursor body = parts[3];
  nest_.levels.push_back({*counted, {}, source_.span(body)});
  counters_.push_back(counted->variable);
  nest_.uses.insert(counted->variable);
  for (std::size_t i = 0; i < 3; ++i)
    for (const Token& token : source_.tokens(source_.span(parts[i]))) {
      if (token.symbol.empty()) continue;
      nest_.uses.insert(token.symbol);
      updates_->check(token.symbol, token.span.begin);
    }
  auto statements = kind(body) == CXCursor_CompoundStmt ? children(body) : std::vector{body};
  const bool nested = !statements.empty() && kind(statements.back()) == CXCursor_ForStmt &&
                      std::all_of(statements.begin(), statements.end() - 1,
                                  [](CXCursor each) { return kind(each) == CXCursor_DeclStmt; });
  if (!nested) return walk_statement(body);
  const std::size_t level = nest_.levels.size();
  const CXCursor deeper = statements.back();
  statements.pop_back();
  for (const CXCursor& statement : statements) walk(statement);
  walk_level(deeper, level < nest_.parallel);
  if (nest_.levels.size() > level)
    for (const CXCursor& statement : statements)
      nest_.levels[level].before.push_back(source_.span(statement));
}

void NestReader::refuse_loop(CXCursor loop, const std::optional<Loop>& counted) const {
  if (!counted)
    source_.refuse(loop,
                   "a parallel loop counts an int between bounds: for (int i = a; i < b; i++)");
  if (counted->begin && counted->end)
    source_.refuse(loop, "a parallel loop that counts down by more than 1: write it upwards");
  source_.refuse(loop,
                 "a bound of the parallel loop is not known: write sums and products of int "
                 "parameters and numbers. With --set for each parameter in it (--set w=640 "
                 "--set h=480) others such as w / 2 are known");
}

void NestReader::assign(const Symbol& symbol, CXCursor at) {
  const std::string name = quoted_name(symbol);
  if (is_counter(symbol))
    source_.refuse(
        at, "the variable " + name + " of a loop is changed in the loop: use another variable");
  if (const auto local = locals_.find(symbol); local != locals_.end()) {
    if (nest_.levels.size() > local->second.level)
      nest_.carried.emplace_back(symbol, local->second.level);
    return;
  }
  if (std::ranges::find(nest_.reductions, symbol, &Reduction::symbol) != nest_.reductions.end())
    return updates_->check(symbol, source_.span(at).begin);
  source_.refuse(
      at, in_nest_
              ? "the iterations share " + name +
                    ", which this one assigns: declare it in the loop, or name it in a reduction"
              : name + " is assigned outside of the loops: give it its value where it is declared");
}

void NestReader::walk_write(CXCursor target, CXCursor assignment, bool reads) {
  const CXCursor inside = bare(target);
  check_type(inside);
  if (kind(inside) == CXCursor_ArraySubscriptExpr)
    return walk_element(inside, reads, true, source_.span(assignment));
  if (kind(inside) != CXCursor_DeclRefExpr)
    source_.refuse(target,
                   "the target of the assignment is neither a variable nor an element of an array");
  const Symbol symbol = source_.symbol(inside);
  nest_.uses.insert(symbol);
  assign(symbol, inside);
}

void NestReader::walk_element(CXCursor cursor, bool reads, bool writes, Span assignment) {
  std::vector<CXCursor> indices;
  CXCursor base = cursor;
  while (kind(base) == CXCursor_ArraySubscriptExpr) {
    const auto sides = children(base);
    indices.insert(indices.begin(), sides[1]);
    base = bare(sides[0]);
  }
  if (kind(base) != CXCursor_DeclRefExpr)
    source_.refuse(cursor, "the indexed value is not an array");
  for (const CXCursor& index : indices) walk(index);
  const Symbol symbol = source_.symbol(base);
  nest_.uses.insert(symbol);
  if (const auto local = locals_.find(symbol); local != locals_.end()) {
    if (writes) assign(symbol, base);
    return;
  }
  const Array* const array = program_.array(symbol);
  if (!array) {
    if (writes)
      source_.refuse(cursor,
                     "the written value is not an array of the function: make it a parameter");
    return use_table(clang().getCursorReferenced(base));
  }
  if (updates_) updates_->check(symbol, source_.span(base).begin);
  if (!in_nest_)
    source_.refuse(cursor,
                   "an element of an array outside of the loops: give the function the number");
  if (indices.size() != (array->is_flat ? 1 : array->sizes.size()))
    source_.refuse(cursor, "a part of " + quoted_name(symbol) +
                               " that is not an element: write an index for each dimension");
  ArrayAccess access{
      .array = symbol,
      .span = source_.span(cursor),
      .assignment = assignment,
      .reads = reads,
      .writes = writes,
      .always = conditions_ == 0 && inner_.empty() && breakable_ == 0 && nest_.skips == 0,
      .levels = nest_.levels.size(),
      .around = loops(),
      .facts = facts_,
      .at = source_.place(cursor)};
  for (const CXCursor& index : indices) {
    auto place = affine(index);
    if (place && !array->is_flat && !is_linear(*place)) place.reset();
    access.indices.push_back(place);
    access.index_spans.push_back(source_.span(index));
  }
  nest_.accesses.push_back(access);
}

void NestReader::count() {
  if (in_function_) return;
  const std::vector<Loop> around = loops();
  const auto same = std::ranges::find_if(nest_.operations, [&](const Operations& each) {
    return std::ranges::equal(each.around, around, {}, &Loop::variable, &Loop::variable);
  });
  if (same != nest_.operations.end()) {
    ++same->count;
  } else {
    nest_.operations.push_back({around, 1});
  }
}

}  // namespace tandem::generate
