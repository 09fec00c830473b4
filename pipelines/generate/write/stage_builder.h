// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "pipelines/generate/layout/layout.h"
#include "pipelines/generate/write/code_writer.h"

namespace tandem::generate {

/// How far sums of many numbers may be apart, relative above 1: sides add them in another order.
inline constexpr double kSumTolerance = 1e-3;

/// Makes the parts of a stage file of a function's loops.
class StageBuilder {
 public:
  /// `given`: values of parameters by name, the defaults of the stage's.
  StageBuilder(const LoopProgram& program, const Layout& layout,
               const std::map<std::string, double>& given);

  /// Throws Refusal.
  StageFile build();

 private:
  /// A part while its code is written.
  struct Part {
    StagePart part;
    const Nest* nest = nullptr;
    const Grid* grid = nullptr;
    std::map<Symbol, std::string> words;   ///< names in its code that differ from the usual ones
    std::map<Symbol, std::string> own;     ///< arrays whose own element is a variable
    std::map<Symbol, std::string> passed;  ///< arrays that a pass of LOOP before may have written
  };

  void add_parameters();
  void add_map(const Nest& nest, const Grid& grid);
  void add_reduction(const Nest& nest, const Grid& grid);
  void add_loop(const Sequence& sequence, const Grid* grids);
  void add_result();
  /// Whether a reduced number is the result of the function.
  bool is_result(const Symbol& symbol) const;
  std::set<Symbol> symbols_of(Span span) const;
  std::string reduce(Part& part, const Reduction& reduction, std::string& before,
                     std::string& after);
  void finish_reduction(const Reduction& reduction, const std::string& partial);

  /// The code of one element: places, what it is before, and the loops' body where `guards` hold.
  std::string element(Part& part, const std::string& before, const std::string& after);
  std::string prologue(Part& part, const std::set<Symbol>& uses, std::set<Symbol>& done);
  std::string code(Part& part, Span span);
  /// Statements, each line indented by so many steps. Without the braces around them, if names may
  /// do without.
  std::string block(Part& part, Span span, int depth, bool in_braces);
  std::string word(const Part& part, const Symbol& symbol) const;
  std::string access(Part& part, const ArrayAccess& access);
  std::string scalar_word(Part& part, const Symbol& symbol);
  /// The element that the iteration at hand is for, as it was before the part.
  std::string own_before(Part& part, const Symbol& array);
  std::string flat_index(Part& part, const ArrayAccess& access);
  std::string plane_offsets(const Part& part, const ArrayAccess& access) const;
  std::string read_element(Part& part, const Symbol& array, const std::string& at, int halo,
                           Place place);
  bool needs_before(const Part& part, const Symbol& array, bool guarded) const;

  void read(Part& part, const std::string& name, const std::string& tensor, const Array& array,
            int halo);
  void read_made(Part& part, const std::string& name);
  StageWrite write_of(const Array& array);
  void add(Part& part, const std::string& body);
  std::string input_name(const Symbol& array) const;
  std::string input_tensor(const Symbol& array) const;

  const LoopProgram& program_;
  const Layout& layout_;
  const std::map<std::string, double>& given_;
  StageNames names_;
  StageFile file_;
  std::map<Symbol, int> writes_left_;          // of arrays: how many parts still write them
  std::map<Symbol, std::size_t> reduced_in_;   // of reduced numbers: in which sequence
  std::map<Symbol, std::string> inputs_;       // what the stage is given, of arrays that it writes
  std::map<Symbol, std::string> made_;         // arrays and reduced numbers as they are now
  std::map<std::string, StageWrite> written_;  // by name
};

}  // namespace tandem::generate
