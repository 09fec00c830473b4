// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "kernels/stage_file/generate/plan.h"

/// Pieces of code that both sides have.
namespace tandem {

/// "\n#line 7 \"sobel.cl\"\n" and the user's text, then lines that are not the user's again. `end`
/// follows the text and counts as its last line: compilers report a missing ';' there.
std::string user_text(const StageFile& file, const StageCode& code, const std::string& end);
/// The `end` of code outside of functions.
inline constexpr const char* kDeclarationsEnd = "struct tandem_end_;";

/// Puts numbers and names into text: every "$key" becomes its value.
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

/// The code of one element: variables of what is written, the user's code, and the stores. Each
/// part of the step sees the variables of those before it. `wide`: bytes are ints, which are stored
/// by chunks of a row (generate_wide.h).
std::string element_text(const StageFile& file, const StageStep& step, StageSide side,
                         bool wide = false);
/// The same with short loops that compilers unroll where that makes code faster: reads and numbers
/// of tables become parts of instructions, and elements vectors.
std::string unrolled_element_text(const StageFile& file, const StageStep& step, StageSide side,
                                  bool wide = false);
/// How two partial results of kReduce are combined: as the user says, else by adding.
std::string combine_text(const StageFile& file, const StagePlan& plan, const StageStep& step);
/// Text once for each tensor that kReduce writes: $type, $name, $count of elements, $padded,
/// and the indices $tensor and $partials.
std::string reduced_text(const StagePlan& plan, const StageStep& step, const char* text);
/// What readers of a fused step's tensors see: `#define name(dx, dy) (name)`.
std::string local_reads(const StageStep& step, bool define);

}  // namespace tandem
