// SPDX-License-Identifier: LGPL-2.1-or-later
// Loops with `reduction` become REDUCE, and a MAP of one element where more is to be said.
#include "pipelines/generate/write/stage_builder.h"

namespace tandem::generate {
namespace {

// The value that changes nothing, in the code of a stage.
std::string identity_of(const std::string& operation, bool real) {
  if (operation == "*") return real ? "1.0f" : "1";
  if (operation == "&") return "-1";
  if (operation == "max") return real ? "-INFINITY" : "(-2147483647 - 1)";
  if (operation == "min") return real ? "INFINITY" : "2147483647";
  return real ? "0.0f" : "0";
}

std::string combined(const std::string& operation, bool real, const std::string& a,
                     const std::string& b) {
  if (operation == "max" || operation == "min")
    return (real ? "f" : "") + operation + "(" + a + ", " + b + ")";
  return a + " " + operation + " " + b;
}

Array number_as_array(const Scalar& scalar) {
  return {.symbol = scalar.symbol,
          .type = scalar.is_real ? ElementType::kFloat32 : ElementType::kInt32,
          .sizes = {Affine(1)},
          .is_parameter = false};
}

}  // namespace

std::string StageBuilder::reduce(Part& part, const Reduction& reduction, std::string& before,
                                 std::string& after) {
  const Scalar* const scalar = program_.scalar(reduction.symbol);
  if (!reduction.is_array && made_.contains(reduction.symbol))
    program_.refuse(reduction.at, quoted_name(reduction.symbol) +
                                      " is reduced twice: give each loop a variable of its own");
  const Array array = scalar ? number_as_array(*scalar) : *program_.array(reduction.symbol);
  StageWrite write{.type = array.type, .shape = layout_.shape_of(array)};
  const bool real = array.type == ElementType::kFloat32;
  const std::string base = names_(reduction.symbol);
  const bool sum = reduction.operation == "+";
  const bool direct = sum && (scalar ? scalar->is_zero : array.is_zeroed);
  write.name = direct ? base : names_.fresh(base + "_part");
  write.tensor = write.name;
  write.is_private = !direct || !scalar || !is_result(reduction.symbol);
  if (real) write.tolerance = kSumTolerance;
  if (scalar && !sum) {  // the second element says whether the first one counts
    write.shape.constants = {2};
    const std::string type = real ? "float " : "int ";
    const std::string own = base, name = write.name;
    before += type + own + " = " + name + "[1] != 0 ? " + name +
              "[0] : " + identity_of(reduction.operation, real) + ";\n";
    after += name + "[0] = " + own + ";\n" + name + "[1] = 1;\n";
    part.part.combine.text +=
        "if (" + name + "_other[1] != 0) {\n  " + name + "[0] = " + name + "[1] != 0 ? " +
        combined(reduction.operation, real, name + "[0]", name + "_other[0]") + " : " + name +
        "_other[0];\n  " + name + "[1] = 1;\n}\n";
    part.words[reduction.symbol] = own;
  } else {
    part.words[reduction.symbol] = scalar ? write.name + "[0]" : write.name;
    std::size_t count = 1;
    for (const int length : write.shape.constants) count *= static_cast<std::size_t>(length);
    part.part.combine.text += "for (int i = 0; i < " + std::to_string(count) + "; ++i) " +
                              write.name + "[i] += " + write.name + "_other[i];\n";
  }
  part.part.writes.push_back(write);
  return write.name;
}

void StageBuilder::add_reduction(const Nest& nest, const Grid& grid) {
  Part part{.nest = &nest, .grid = &grid};
  part.part.skeleton = StagePart::Skeleton::kReduce;
  const Array& over = *program_.array(grid.array);
  const auto made = made_.find(grid.array);
  if (made != made_.end()) {
    read_made(part, made->second);
  } else {
    read(part, input_name(grid.array), input_tensor(grid.array), over, 0);
  }
  std::string before, after;
  std::vector<std::string> partials;
  for (const Reduction& reduction : nest.reductions)
    partials.push_back(reduce(part, reduction, before, after));
  const std::string body = element(part, before, after);
  part.part.combine.line = 1;
  add(part, body);
  for (std::size_t i = 0; i < partials.size(); ++i)
    finish_reduction(nest.reductions[i], partials[i]);
}

// Adds what the variable was before.
void StageBuilder::finish_reduction(const Reduction& reduction, const std::string& partial) {
  const std::string base = names_(reduction.symbol);
  if (partial == base) {
    if (reduction.is_array) --writes_left_[reduction.symbol];
    made_[reduction.symbol] = base;
    return;
  }
  Part part;
  read_made(part, partial);
  StageWrite write;
  std::string body;
  if (const Scalar* const scalar = program_.scalar(reduction.symbol)) {
    write = {.name = base,
             .tensor = base,
             .type = scalar->is_real ? ElementType::kFloat32 : ElementType::kInt32,
             .shape = {.constants = {1}},
             .is_private = !is_result(reduction.symbol)};
    if (scalar->is_real) write.tolerance = kSumTolerance;
    if (!scalar->init)
      program_.refuse(scalar->at, quoted_name(scalar->symbol) +
                                      " starts with no value: write = 0 where it is declared");
    std::set<Symbol> done;
    body = prologue(part, symbols_of(*scalar->init), done);
    const std::string init = operand(code(part, *scalar->init));
    if (reduction.operation == "+") {
      body += base + " = " + init + " + " + partial + "[0];\n";
    } else {
      body += base + " = " + partial + "[1] != 0 ? " +
              combined(reduction.operation, scalar->is_real, init, partial + "[0]") + " : " + init +
              ";\n";
    }
  } else {
    const Array& array = *program_.array(reduction.symbol);
    write = write_of(array);
    body = write.name + " = " + own_before(part, array.symbol) + " + " + partial + "[" +
           own_index(write.shape) + "];\n";
  }
  part.part.writes = {write};
  made_[reduction.symbol] = write.name;
  add(part, body);
}

}  // namespace tandem::generate
