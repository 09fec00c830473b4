// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "kernels/stage_file/codegen/stage_plan.h"

/// Pieces of code that both sides have.
namespace tandem {

/// "\n#line 7 \"sobel.cl\"\n" and the user's text, then the numbering of generated lines. `end`
/// follows the text and counts as its last line, because compilers report a missing ';' there.
std::string user_text(const StageFile& file, const StageCode& code, const std::string& end);
/// The `end` of code outside of functions.
inline constexpr const char* kDeclarationsEnd = "struct tandem_end_;";

/// Replaces every "$key" of a text by its value.
class Filled {
 public:
  explicit Filled(std::string text) : text_(std::move(text)) {}
  Filled& put(const std::string& key, const std::string& value);
  Filled& put(const std::string& key, long value) { return put(key, std::to_string(value)); }
  operator std::string() const { return text_; }

 private:
  std::string text_;
};

/// The planes that a step reads, with the widest halo of its parts.
std::map<std::string, StageAccess> planes_of(const StageStep& step);
/// The tensors with a shape that a step reads, by their names.
std::map<std::string, int> arrays_of(const StageStep& step);

/// A text for a plane. Keys: $name, its element $type, the index $i, $times, $over, $halo, and
/// $missing: `frame == 0 ? 0 : ` for a plane of the frame before, which the first frame lacks.
Filled plane_text(const StagePlan& plan, const StageAccess& plane, const char* text);
/// The text, once for each plane that a step reads.
std::string planes_text(const StagePlan& plan, const StageStep& step, const char* text);
/// The text, once for each tensor that a step stores. Keys: $name, $type and the index $i.
std::string stores_text(const StageStep& step, const char* text);

/// The code of one element: variables for the outputs, the user's code, and the stores. Each part
/// of the step sees the variables of the parts before it. `wide`: bytes are ints, which are stored
/// in chunks of a row (wide_bytes.h).
std::string element_text(const StageFile& file, const StageStep& step, StageSide side,
                         bool wide = false);
/// The code of one element, with short loops for compilers to unroll if that makes the code faster:
/// reads and table values become operands of instructions, and elements vectors.
std::string unrolled_element_text(const StageFile& file, const StageStep& step, StageSide side,
                                  bool wide = false);
/// The code that combines two partial results of kReduce: the user's, or an addition.
std::string combine_text(const StageFile& file, const StagePlan& plan, const StageStep& step);
/// The text, once for each tensor that kReduce writes. Keys: $type, $name, $count of elements,
/// $padded, and the indices $tensor and $partials.
std::string reduced_text(const StagePlan& plan, const StageStep& step, const std::string& text);
/// Removes the read macros of planes.
std::string undefine_reads(const StageStep& step);
/// The read macro of a fused step's own tensors: `#define name(dx, dy) (name)`.
std::string local_reads(const StageStep& step, bool define);

}  // namespace tandem
