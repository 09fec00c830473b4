// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "files/parse_number.h"
#include "kernels/stage_file/parse/names.h"
#include "pipelines/generate/read/flat_arrays.h"
#include "pipelines/generate/read/loop_reader.h"
#include "pipelines/generate/read/nest_reader.h"

namespace tandem::generate {
namespace {

/// The type of the numbers of an array, and how many dimensions it has.
struct Numbers {
  CXType type;
  int dimensions = 0;
};
Numbers numbers_of(CXCursor declared) {
  Numbers numbers{type_of(declared)};
  for (CXType inner; (inner = element_of(numbers.type)).kind != CXType_Invalid;
       numbers.type = inner)
    ++numbers.dimensions;
  return numbers;
}

ElementType element_type(const ClangSource& source, CXCursor declared, CXType element) {
  switch (element.kind) {
    case CXType_Float:
      return ElementType::kFloat32;
    case CXType_Int:
      return ElementType::kInt32;
    case CXType_UChar:
      return ElementType::kUint8;
    default:
      source.refuse(declared, "elements of type '" + taken(clang().getTypeSpelling(element)) +
                                  "': a stage has float, int and unsigned char");
  }
}

/// Whether a variable or parameter is declared as an array.
bool is_array(CXCursor declared) { return numbers_of(declared).dimensions > 0; }

/// Throws Refusal for element types and sizes that a stage lacks.
Array read_array(const ClangSource& source, CXCursor declared, const ValueOf& size_of) {
  const auto [type, dimensions] = numbers_of(declared);
  Array array{.symbol = source.symbol(declared),
              .type = element_type(source, declared, type),
              .is_parameter = kind(declared) == CXCursor_ParmDecl,
              .is_const = clang().isConstQualifiedType(type) != 0,
              .at = source.place(declared)};
  const std::string name = quoted_name(array.symbol);
  array.is_restrict = mentions(source.code(source.span(declared)), "restrict");
  auto sizes = children(declared);
  if (!array.is_parameter && !sizes.empty() && kind(sizes.back()) == CXCursor_InitListExpr) {
    const auto values = children(sizes.back());
    if (values.size() > 1 || (values.size() == 1 && !is_zero(values[0])))
      source.refuse(declared, name + " starts with values other than 0");
    array.is_zeroed = true;
    sizes.pop_back();
  }
  std::erase_if(sizes, [](CXCursor each) { return !clang().isExpression(kind(each)); });
  std::ranges::sort(sizes, {}, [&](CXCursor each) { return source.span(each).begin; });
  for (const CXCursor& size : sizes) {
    const auto affine = affine_of(source, size, size_of);
    if (!affine)
      source.refuse(size, "the size of " + name + " is not a sum of products of parameters");
    array.sizes.push_back(*affine);
  }
  array.is_flat = dimensions == 1;
  if (static_cast<int>(array.sizes.size()) != dimensions && (dimensions > 1 || !array.is_parameter))
    source.refuse(declared, name + " is a pointer to pointers or lacks a size: write " +
                                name_of_symbol(array.symbol) + "[h][w]");
  if (array.sizes.size() > 4) source.refuse(declared, name + " has more than 4 dimensions");
  return array;
}

Scalar read_scalar(const ClangSource& source, CXCursor declared) {
  const CXType type = type_of(declared);
  if (type.kind != CXType_Int && type.kind != CXType_Float)
    source.refuse(declared, "'" + spelling(declared) + "' of type '" +
                                taken(clang().getTypeSpelling(type)) +
                                "': numbers are int or float, arrays have their size");
  return {.symbol = source.symbol(declared),
          .is_real = type.kind == CXType_Float,
          .at = source.place(declared)};
}

/// Reads a function: its declarations, its loops, and what it returns.
class FunctionReader {
 public:
  FunctionReader(const ClangSource& source, CXCursor function, const GenerateOptions& options,
                 bool as_numbers)
      : source_(source), function_(function), options_(options), as_numbers_(as_numbers) {
    program_.path = source.path();
    program_.text = source.text();
    program_.name = spelling(function);
    program_.place = source.place(function);
    pragmas_ = read_pragmas(source, source.span(function));
  }

  LoopProgram read() {
    program_.changed = changed_in(source_.span(function_));
    read_parameters();
    CXCursor body = clang().getNullCursor();
    for (const CXCursor& part : children(function_))
      if (kind(part) == CXCursor_CompoundStmt) body = part;
    for (const CXCursor& statement : children(body)) read_statement(statement);
    if (next_ < pragmas_.size())
      source_.refuse(pragmas_[next_].span.begin, "no loop follows this pragma");
    if (program_.sequences.empty())
      source_.refuse(function_,
                     "there is no loop with '#pragma omp parallel for': write the line above one");
    add_common();
    program_.fixed = uses_.numbers;
    shape_flat_arrays(program_);
    return std::move(program_);
  }

 private:
  // Variables that get another value than that of their declaration.
  std::set<Symbol> changed_in(Span span) const {
    std::set<Symbol> changed, assigned;
    const std::vector<Token> tokens = source_.tokens(span);
    const auto text = [&](std::size_t i) {
      return i < tokens.size() ? source_.code(tokens[i].span) : std::string();
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Symbol& symbol = tokens[i].symbol;
      if (symbol.empty()) continue;
      const std::string next = text(i + 1), before = text(i - 1);
      const bool is_compound = next.size() > 1 && next.ends_with('=') && next != "==" &&
                               next != "!=" && next != "<=" && next != ">=";
      if (is_compound || next == "++" || next == "--" || before == "++" || before == "--" ||
          (next == "=" && !assigned.insert(symbol).second))
        changed.insert(symbol);
    }
    return changed;
  }

  void read_parameters() {
    std::vector<CXCursor> arrays;
    for (const CXCursor& part : children(function_)) {
      if (kind(part) != CXCursor_ParmDecl) continue;
      program_.parameters.push_back(source_.symbol(part));
      if (is_array(part)) {
        program_.arrays.push_back(read_array(source_, part, size_));
        continue;
      }
      Scalar scalar = read_scalar(source_, part);
      const auto number = options_.values.find(name_of_symbol(scalar.symbol));
      if (as_numbers_ && number != options_.values.end() && !scalar.is_real &&
          std::nearbyint(number->second) == number->second &&
          std::fabs(number->second) <= kMostNumber)
        scalar.value = Affine(static_cast<long>(number->second));
      program_.scalars.push_back(scalar);
    }
    for (const auto& [name, given] : options_.sizes)
      if (std::ranges::none_of(program_.arrays, [&](const Array& each) {
            return name_of_symbol(each.symbol) == name;
          }))
        source_.refuse(function_, "there is no array '" + name + "' among the parameters");
    for (Array& array : program_.arrays) give_size(array);
  }

  // Gives an array the size that --size states.
  void give_size(Array& array) {
    const auto given = options_.sizes.find(name_of_symbol(array.symbol));
    if (given == options_.sizes.end()) return;
    Affine size(1);
    const auto bad = [&] {
      program_.refuse(array.at, "the size '" + given->second + "' of " + quoted(given->first) +
                                    " is not a product of numbers and parameters, as in w*h");
    };
    for (std::size_t at = 0; at <= given->second.size();) {
      const std::size_t end = std::min(given->second.find('*', at), given->second.size());
      const std::string factor = given->second.substr(at, end - at);
      const auto scalar = std::ranges::find_if(program_.scalars, [&](const Scalar& each) {
        return name_of_symbol(each.symbol) == factor;
      });
      std::optional<Affine> value;
      if (scalar != program_.scalars.end()) {
        value = size_(scalar->symbol);
      } else if (const auto number = parse_number<long>(factor)) {
        value = Affine(*number);
      }
      if (!value) bad();
      size = product(size, *value);
      at = end + 1;
    }
    if (!array.is_flat) bad();
    array.sizes = {size};
  }

  void read_statement(CXCursor statement) {
    switch (kind(statement)) {
      case CXCursor_NullStmt:
        return;
      case CXCursor_DeclStmt:
        for (const CXCursor& declared : children(statement)) read_declaration(declared);
        return;
      case CXCursor_ForStmt:
        return read_loop(statement);
      case CXCursor_ReturnStmt:
        if (const auto value = children(statement); !value.empty()) {
          NestReader(source_, program_, uses_).check_scalar(value[0]);
          program_.result = source_.span(value[0]);
          program_.result_is_real =
              clang().getCanonicalType(clang().getCursorResultType(function_)).kind == CXType_Float;
        }
        return;
      default:
        source_.refuse(statement,
                       "between parallel loops a function declares variables, and nothing else: "
                       "write int n = 1, or another loop");
    }
  }

  void read_declaration(CXCursor declared) {
    if (kind(declared) != CXCursor_VarDecl)
      source_.refuse(declared, "a declaration other than a variable");
    if (is_array(declared)) {
      program_.arrays.push_back(read_array(source_, declared, size_));
      return;
    }
    Scalar scalar = read_scalar(source_, declared);
    scalar.is_parameter = false;
    scalar.order = program_.sequences.size();
    if (const auto value = initial_value(declared)) {
      NestReader(source_, program_, uses_).check_scalar(*value);
      scalar.init = source_.span(*value);
      scalar.is_zero = is_zero(*value);
      if (!scalar.is_real && !program_.changed.contains(scalar.symbol))
        scalar.value = affine_of(source_, *value, size_);
    }
    program_.scalars.push_back(scalar);
  }

  // The pragma that stands right in front of the loop, if there is one.
  const Pragma* pragma_of(CXCursor loop) {
    if (next_ >= pragmas_.size()) return nullptr;
    const Pragma& pragma = pragmas_[next_];
    if (pragma.span.end > source_.span(loop).begin) return nullptr;
    ++next_;
    return &pragma;
  }

  void read_loop(CXCursor loop) {
    if (const Pragma* pragma = pragma_of(loop)) {
      Nest nest = read_nest(*pragma, loop, {});
      program_.sequences.push_back({{}, {std::move(nest)}});
      return;
    }
    const auto time = counted_loop(source_, loop, size_);
    const bool holds_pragma =
        next_ < pragmas_.size() && source_.span(loop).holds(pragmas_[next_].span);
    if (!holds_pragma)
      source_.refuse(
          loop,
          "this loop has no '#pragma omp parallel for' and holds none: write the line above it");
    if (!time || !time->begin || !time->end || time->step != 1)
      source_.refuse(loop,
                     "a loop around parallel loops counts upwards by 1 between bounds that "
                     "are affine");
    Sequence sequence{time, {}};
    const CXCursor body = children(loop)[3];
    const auto inside = kind(body) == CXCursor_CompoundStmt ? children(body) : std::vector{body};
    for (const CXCursor& each : inside) {
      const Pragma* const pragma = kind(each) == CXCursor_ForStmt ? pragma_of(each) : nullptr;
      if (!pragma)
        source_.refuse(
            each,
            "a loop around parallel loops holds these and nothing else: move it into one of them");
      sequence.nests.push_back(read_nest(*pragma, each, time));
    }
    program_.sequences.push_back(std::move(sequence));
  }

  Nest read_nest(const Pragma& pragma, CXCursor loop, const std::optional<Loop>& time) {
    const Span all = source_.span(loop);
    if (next_ < pragmas_.size() && all.holds(pragmas_[next_].span))
      source_.refuse(pragmas_[next_].span.begin,
                     "a parallel loop inside of another: leave out the inner pragma");
    return NestReader(source_, program_, uses_).read(pragma, loop, time);
  }

  void add_common() {
    std::vector<Span> spans{source_.span(function_)};
    for (const auto& uses : {uses_.tables, uses_.functions})
      for (const auto& [at, span] : uses) spans.push_back(span);
    for (const auto& [at, span] : uses_.tables) program_.tables.push_back(span);
    for (const auto& [at, span] : uses_.functions) program_.functions.push_back(span);
    for (std::size_t i = 1; i < spans.size(); ++i)
      if (const auto pragmas = read_pragmas(source_, spans[i]); !pragmas.empty())
        source_.refuse(pragmas[0].span.begin,
                       "a parallel loop in a function that loops call: leave out its pragma");
    source_.check_macros(spans);
    program_.numbers = source_.numbers_in(spans);
    for (const auto& [at, span] : uses_.real_arguments) program_.real_arguments.push_back(span);
    std::ranges::sort(spans, {}, &Span::begin);
    for (const Span& span : spans)
      for (const Token& token : source_.tokens(span)) program_.tokens.push_back(token);
    for (const CodeWord& word : words_of(source_.text())) program_.names.emplace(word.text);
    for (const NamedNumber& each : program_.numbers) program_.names.insert(each.name);
  }

  const ClangSource& source_;
  const CXCursor function_;
  const GenerateOptions& options_;
  const bool as_numbers_;
  LoopProgram program_;
  FileUses uses_;
  const ValueOf size_ = [this](const Symbol& symbol) {
    return size_of(program_, symbol, uses_.numbers);
  };
  std::vector<Pragma> pragmas_;
  std::size_t next_ = 0;
};

CXCursor find_function(const ClangSource& source, const std::string& wanted) {
  const auto found = functions_of(source, wanted);
  if (found.size() == 1) return found[0];
  if (!wanted.empty()) source.refuse(std::size_t{0}, "there is no function '" + wanted + "'");
  source.refuse(
      std::size_t{0},
      found.empty()
          ? "no function has a loop with '#pragma omp parallel for': write the line above one"
          : "several functions have parallel loops: name one of them with --function");
}

}  // namespace

bool can_read_loops() { return true; }

LoopProgram read_loops(const std::string& text, const std::string& path,
                       const GenerateOptions& options, bool as_numbers) {
  const ClangSource source(text, path, options.function);
  const CXCursor function = find_function(source, options.function);
  try {
    return FunctionReader(source, function, options, as_numbers).read();
  } catch (const std::overflow_error& error) {
    source.refuse(function, error.what() + std::string(": write smaller ones"));
  }
}

}  // namespace tandem::generate
