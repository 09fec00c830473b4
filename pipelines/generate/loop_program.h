// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/stage_file/stage_file.h"
#include "pipelines/generate/affine.h"

/// A C function with parallel loops, as values without any type of libclang.
namespace tandem::generate {

struct Place {
  int line = 0, column = 0;
};

/// The reason why a loop does not become a stage: "scan.c:7:3: ...".
class Refusal : public std::runtime_error {
 public:
  Refusal(const std::string& path, Place at, const std::string& reason);
};

Place place_in(const std::string& text, std::size_t offset);

std::string quoted(const std::string& name);
std::string quoted_name(const Symbol& symbol);

/// Bytes of the file's text.
struct Span {
  std::size_t begin = 0, end = 0;
  bool holds(const Span& other) const { return begin <= other.begin && other.end <= end; }
};

struct Token {
  Span span;
  Symbol symbol;  ///< of a name that the file declares; else empty
};

/// A part of the code that was the name of a macro, which is a number.
struct NamedNumber {
  Span span;
  std::string name;
};

/// `for (int i = begin; i < end; i += step)`
struct Loop {
  Symbol variable;
  std::optional<Affine> begin, end;  ///< null: not affine
  long step = 1;
  Place at;
};

/// A level of a nest: all that is between its loop and the next one is `before`.
struct Level {
  Loop loop;
  std::vector<Span> before;  ///< declarations in front of the loop, inside of the level above
  Span body;
};

/// The values of constant variables that a condition around code implies.
struct Fact {
  Affine value;
  bool is_other = false;  ///< `value` is not 0; else it is at least 0
};

struct ArrayAccess {
  Symbol array;
  std::vector<std::optional<Affine>> indices;  ///< null: not affine
  std::vector<Span> index_spans;
  Span span;        ///< of the whole expression
  Span assignment;  ///< of the statement that writes it
  bool reads = false, writes = false;
  bool always = false;       ///< no `if`, no loop below the levels and no `continue` skips it
  std::size_t levels = 0;    ///< how many levels of the nest are around it
  std::vector<Loop> around;  ///< loops of the nest's levels and below, outermost first
  std::vector<Fact> facts;
  Place at;
};

struct Reduction {
  Symbol symbol;
  std::string operation;  ///< "+", "*", "max", "min", "&", "|" or "^"
  bool is_array = false;
  long length = 0;  ///< of an array: the number in the clause; 0: none
  Place at;
};

/// Arithmetic in the body, by the loops around it.
struct Operations {
  std::vector<Loop> around;
  int count = 0;
};

/// A loop with `#pragma omp parallel for`.
struct Nest {
  std::vector<Level> levels;  ///< loops that stand directly in each other
  std::size_t parallel = 1;   ///< how many of them the pragma is for
  std::vector<ArrayAccess> accesses;
  std::vector<Reduction> reductions;
  std::vector<Symbol> privates;  ///< of its clauses
  std::set<Symbol> uses;         ///< all that its text mentions
  /// Scalars of a level's declarations that deeper levels assign, with the first level that does.
  std::vector<std::pair<Symbol, std::size_t>> carried;
  std::vector<Operations> operations;
  int loops_around = 0;   ///< sequential ones
  std::size_t skips = 0;  ///< the level in whose body `continue` ends an iteration; 0: none
  Place at;
};

/// Nests, once or in a sequential loop.
struct Sequence {
  std::optional<Loop> around;
  std::vector<Nest> nests;
};

struct Array {
  Symbol symbol;
  ElementType type = ElementType::kFloat32;
  std::vector<Affine> sizes;  ///< outermost first
  std::optional<Affine> row;  ///< of flat ones: the length of rows in an array of the same size
  bool is_parameter = true, is_const = false, is_restrict = false;
  bool is_zeroed = false;  ///< declared with `= {0}`
  bool is_flat = false;    ///< rows behind each other, or no size: `in[y * w + x]`
  Place at;
};

/// A number outside of the loops.
struct Scalar {
  Symbol symbol;
  bool is_parameter = true, is_real = false;
  std::optional<Span> init;     ///< of declared ones
  bool is_zero = false;         ///< `init` is 0
  std::size_t order = 0;        ///< how many sequences came before the declaration
  std::optional<Affine> value;  ///< whole ones alone: null: not known when the loops are read
  Place at;
};

struct LoopProgram {
  std::string path, text, name;
  Place place;                          ///< of the function
  std::vector<NamedNumber> numbers;     ///< that the code uses
  std::vector<Span> tables, functions;  ///< that it uses, in the file's order
  std::vector<Symbol> parameters;       ///< of the function, in order
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<Sequence> sequences;
  std::set<Symbol> changed;    ///< variables with another value than that of their declaration
  std::set<Symbol> fixed;      ///< parameters whose values were used as numbers
  std::optional<Span> result;  ///< the expression of `return`
  bool result_is_real = false;
  /// Whole numbers that functions of floats are given, in order: overloaded functions of OpenCL C
  /// do not convert them.
  std::vector<Span> real_arguments;
  std::vector<Token> tokens;    ///< of the function and its dependencies, without comments
  std::set<std::string> names;  ///< all words of the file

  std::string code(Span span) const { return text.substr(span.begin, span.end - span.begin); }
  const Array* array(const Symbol& symbol) const;
  const Scalar* scalar(const Symbol& symbol) const;
  [[noreturn]] void refuse(Place at, const std::string& reason) const;
};

/// Whether this build has libclang.
bool can_read_loops();

struct GenerateOptions {
  std::string function;                      ///< empty: the only one with parallel loops
  std::map<std::string, double> values;      ///< sizes and parameters by name
  std::map<std::string, std::string> sizes;  ///< of flat arrays by name: "w*h"
};

/// Reads a function of C code. `as_numbers`: whole parameters that have a value count as numbers.
/// Throws Refusal.
LoopProgram read_loops(const std::string& text, const std::string& path,
                       const GenerateOptions& options, bool as_numbers);

}  // namespace tandem::generate
