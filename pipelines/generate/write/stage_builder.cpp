// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/stage_builder.h"

#include <algorithm>
#include <cmath>

namespace tandem::generate {
namespace {

// Sides may differ by so much, relative above 1: functions such as exp differ in their last bits.
constexpr double kMapTolerance = 1e-4;
constexpr int kMostPasses = 10000;
constexpr double kWidest = 1e6;  // the range of parameters, unless their value is larger

}  // namespace

StageBuilder::StageBuilder(const LoopProgram& program, const Layout& layout,
                           const std::map<std::string, double>& given)
    : program_(program), layout_(layout), given_(given), names_(program) {
  const auto nests = nests_of(program);
  for (std::size_t k = 0; k < nests.size(); ++k)
    for (const Symbol& array : arrays_written(*nests[k], layout.grids[k])) ++writes_left_[array];
  for (std::size_t k = 0; k < program.sequences.size(); ++k)
    for (const Nest& nest : program.sequences[k].nests)
      for (const Reduction& reduction : nest.reductions) reduced_in_[reduction.symbol] = k;
  for (const auto& [symbol, count] : writes_left_)
    if (program.array(symbol)->is_parameter) inputs_[symbol] = names_.fresh(names_(symbol) + "_in");
}

StageFile StageBuilder::build() {
  file_.path = program_.path;
  file_.name = names_(program_.name + "#");
  add_parameters();
  file_.common.text = write_common(program_, names_);
  const Grid* grid = layout_.grids.data();
  for (const Sequence& sequence : program_.sequences) {
    if (sequence.around) {
      add_loop(sequence, grid);
    } else if (grid->written.empty()) {
      add_reduction(sequence.nests[0], *grid);
    } else {
      add_map(sequence.nests[0], *grid);
    }
    grid += sequence.nests.size();
  }
  add_result();
  return std::move(file_);
}

void StageBuilder::add_parameters() {
  for (const Scalar& scalar : program_.scalars) {
    if (!scalar.is_parameter || layout_.values.contains(scalar.symbol)) continue;
    if (std::ranges::count(program_.tokens, scalar.symbol, &Token::symbol) < 2) continue;  // unused
    StageParameter p{.name = names_(scalar.symbol)};
    p.type = scalar.is_real ? StageParameter::Type::kFloat : StageParameter::Type::kInt;
    const auto found = given_.find(name_of_symbol(scalar.symbol));
    p.initial = found == given_.end() ? 1 : found->second;
    if (!scalar.is_real && std::nearbyint(p.initial) != p.initial)
      program_.refuse(scalar.at, "the value of '" + p.name + "' is no whole number");
    p.most = std::max(kWidest, std::fabs(p.initial));
    p.least = -p.most;
    file_.parameters.push_back(p);
  }
}

StageWrite StageBuilder::write_of(const Array& array) {
  const bool last = --writes_left_[array.symbol] <= 0;
  const std::string base = names_(array.symbol);
  StageWrite write{.name = last ? base : names_.fresh(base + "_1"),
                   .type = array.type,
                   .shape = layout_.shape_of(array),
                   .is_private = !last || !array.is_parameter};
  write.tensor = last ? name_of_symbol(array.symbol) : write.name;
  if (write.type == ElementType::kFloat32 && !write.is_private) write.tolerance = kMapTolerance;
  return write;
}

void StageBuilder::add(Part& part, const std::string& body) {
  part.part.body = {body, 1};
  for (const StageWrite& write : part.part.writes) written_[write.name] = write;
  file_.parts.push_back(std::move(part.part));
}

void StageBuilder::read(Part& part, const std::string& name, const std::string& tensor,
                        const Array& array, int halo) {
  auto& reads = part.part.reads;
  const auto found = std::ranges::find(reads, name, &StageRead::name);
  if (found != reads.end()) {
    found->halo = std::max(found->halo, halo);
    return;
  }
  reads.push_back({.name = name,
                   .tensor = tensor,
                   .type = array.type,
                   .shape = layout_.shape_of(array),
                   .halo = halo});
}

void StageBuilder::read_made(Part& part, const std::string& name) {
  const StageWrite& write = written_.at(name);
  if (std::ranges::find(part.part.reads, name, &StageRead::name) == part.part.reads.end())
    part.part.reads.push_back({.name = name, .type = write.type, .shape = write.shape});
}

std::string StageBuilder::input_name(const Symbol& array) const {
  const auto found = inputs_.find(array);
  return found == inputs_.end() ? names_(array) : found->second;
}

// On the frame: the array's name, and another one for what the array was before it is written.
std::string StageBuilder::input_tensor(const Symbol& array) const {
  return name_of_symbol(array) + (inputs_.contains(array) ? "_in" : "");
}

void StageBuilder::add_map(const Nest& nest, const Grid& grid) {
  Part part{.nest = &nest, .grid = &grid};
  for (const Symbol& symbol : grid.written) {
    part.part.writes.push_back(write_of(*program_.array(symbol)));
    part.own[symbol] = part.part.writes.back().name;
  }
  const std::string body = element(part, "", "");
  for (const auto& [symbol, name] : part.own) made_[symbol] = name;
  add(part, body);
}

void StageBuilder::add_loop(const Sequence& sequence, const Grid* grids) {
  const Affine begin = sequence.around->begin->with(layout_.values);
  const long times = (sequence.around->end->with(layout_.values) - begin).constant;
  const auto count = static_cast<long>(sequence.nests.size());
  if (times < 1 || times * count > kMostPasses)
    program_.refuse(sequence.around->at, std::to_string(times) + " passes through " +
                                             std::to_string(count) +
                                             " loops: a stage has 1 to 10000 passes");
  Part part;
  part.part.skeleton = StagePart::Skeleton::kLoop;
  part.part.passes = static_cast<int>(times * count);
  std::vector<Symbol> arrays;
  for (long k = 0; k < count; ++k) {
    if (grids[k].written.empty())
      program_.refuse(
          sequence.nests[static_cast<std::size_t>(k)].at,
          "a reduction inside of a sequential loop: reduce behind it, in a loop of its own");
    for (const Symbol& symbol : grids[k].written)
      if (std::ranges::find(arrays, symbol) == arrays.end()) arrays.push_back(symbol);
  }
  std::map<Symbol, std::string> names;
  for (const Symbol& symbol : arrays) {
    for (long k = 0; k < count; ++k)  // one write of the part stands for those of all nests
      if (std::ranges::find(grids[k].written, symbol) != grids[k].written.end())
        --writes_left_[symbol];
    ++writes_left_[symbol];
    const Array& array = *program_.array(symbol);
    if (array.sizes != program_.array(arrays[0])->sizes)
      program_.refuse(
          sequence.around->at,
          "the loops write arrays of several sizes: give each size a loop around its own");
    part.part.writes.push_back(write_of(array));
    names[symbol] = part.part.writes.back().name;
  }
  part.passed = names;
  const std::string variable = names_(sequence.around->variable);
  std::string body = "const int " + variable + " = ";
  if (begin != Affine(0)) body += std::to_string(begin.constant) + " + ";
  body += count == 1 ? "pass;\n" : "pass / " + std::to_string(count) + ";\n";
  for (const Symbol& symbol : arrays)
    body += names[symbol] + " = " + own_before(part, symbol) + ";\n";
  for (long k = 0; k < count; ++k) {
    part.nest = &sequence.nests[static_cast<std::size_t>(k)];
    part.grid = &grids[k];
    part.own.clear();
    for (const Symbol& symbol : grids[k].written) part.own[symbol] = names[symbol];
    if (count > 1)
      body += (k > 0 ? "else if" : "if") + std::string(" (pass % ") + std::to_string(count) +
              " == " + std::to_string(k) + ") ";
    body += "{\n" + indented(element(part, "", ""), 1) + "}\n";
  }
  for (const Symbol& symbol : arrays) made_[symbol] = names[symbol];
  add(part, body);
}

std::set<Symbol> StageBuilder::symbols_of(Span span) const {
  std::set<Symbol> symbols;
  for (const Token& token : program_.tokens)
    if (span.holds(token.span) && !token.symbol.empty()) symbols.insert(token.symbol);
  return symbols;
}

bool StageBuilder::is_result(const Symbol& symbol) const {
  // Without any other, what is reduced is all that the stage can give.
  if (!program_.result) return inputs_.empty();
  return symbols_of(*program_.result) == std::set{symbol} &&
         name_of_symbol(symbol) == program_.code(*program_.result);
}

void StageBuilder::add_result() {
  if (!program_.result) return;
  const std::set<Symbol> uses = symbols_of(*program_.result);
  if (uses.size() == 1 && is_result(*uses.begin()) && made_.contains(*uses.begin())) return;
  std::set<Symbol> done;
  Part part;
  const std::string name = names_.fresh("result");
  std::string body = prologue(part, uses, done);
  body += name + " = " + code(part, *program_.result) + ";\n";
  StageWrite write{.name = name,
                   .tensor = name,
                   .type = program_.result_is_real ? ElementType::kFloat32 : ElementType::kInt32,
                   .shape = {.constants = {1}}};
  if (program_.result_is_real) write.tolerance = kSumTolerance;
  part.part.writes = {write};
  add(part, body);
}

}  // namespace tandem::generate
