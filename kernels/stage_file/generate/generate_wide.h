// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "kernels/stage_file/generate/plan.h"

/// Bytes beside floats on the cores, and planes beside larger ones.
///
/// A vector of bytes holds four times the elements of one of floats. Code that has both would be
/// compiled for as many elements as the bytes are, whose floats the registers do not hold. Where
/// the code allows it, bytes become ints before it and bytes again behind it, a chunk of a row at a
/// time, and vectors are as long as floats are.
namespace tandem {

/// Whether the code of a step allows it: it computes with nothing narrower than an int, and reads
/// no byte that it wrote.
bool widens(const StageFile& file, const StagePlan& plan, const StageStep& step);

/// Whether a plane that a step reads, or a tensor that it writes, is widened in a step that widens.
bool is_byte(const StagePlan& plan, int tensor);

/// In the loop over chunks: the bytes that are read, as ints, and room for those that are written.
std::string widened_text(const StagePlan& plan, const StageStep& step);
/// How code reads a widened plane: `#define name(dx, dy) ...`.
std::string wide_read_text(const StageAccess& plane);
/// Behind the loop over a chunk.
std::string narrowed_text(const StagePlan& plan, const StageStep& step);

/// Planes that are smaller than the grid. An element of theirs is read for several elements of a
/// row, by an index that is divided, of which compilers make no vectors: a chunk of a row at a
/// time, their rows are spread out to the grid's columns.
bool spreads(const StageStep& step);
/// In the loop over chunks, whose code is computed in blocks of so many elements.
std::string spread_text(const StagePlan& plan, const StageStep& step, const std::string& block);
/// How code reads a plane that was spread out: `#define name(dx, dy) ...`.
std::string spread_read_text(const StageAccess& plane);

/// The file's own functions and tables. GCC makes a vector in memory of each number of a table that
/// it knows: those of large tables would not fit into the first cache, so it is not to know them.
std::string common_c_text(const StageFile& file);

}  // namespace tandem
