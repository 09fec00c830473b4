// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/stage_file/codegen/stage_plan.h"

/// Bytes beside floats on the cores, and planes beside larger ones.
///
/// A vector of bytes holds four times the elements of a vector of floats. Compilers take the larger
/// number for code that has both, and the registers are too few for so many floats. If the code
/// allows it, bytes are converted to ints before it and back behind it, a chunk of a row at a time.
/// Vectors are then as long as those of floats.
namespace tandem {

/// Whether the code of a step allows it: it has no type narrower than an int, and reads no byte
/// that it wrote.
bool widens(const StageFile& file, const StagePlan& plan, const StageStep& step);

/// Whether a plane that such a step reads, or a tensor that it writes, is widened.
bool is_byte(const StagePlan& plan, int tensor);

/// Code of the loop over chunks: the bytes that are read, as ints, and room for the written ones.
std::string widened_text(const StagePlan& plan, const StageStep& step);
/// The read macro of a widened plane, for plane_text().
inline constexpr char kWideRead[] =
    "#define $name(dx, dy) (t$i_wide_[tandem_reach(dy, $halo, $i) + $halo][(x - chunk_) * $times + "
    "tandem_reach(dx, $halo, $i) + $halo])\n";
/// Code behind the loop over a chunk: converts ints to bytes.
std::string narrowed_text(const StagePlan& plan, const StageStep& step);

/// Planes that are smaller than the grid. Several elements of a row read the same element, by a
/// divided index, which compilers cannot vectorise. So the rows of these planes are spread out to
/// the grid's columns, a chunk at a time.
bool spreads(const StageStep& step);
/// Code of the loop over chunks, which computes blocks of so many elements.
std::string spread_text(const StagePlan& plan, const StageStep& step, const std::string& block);
/// The read macro of a plane that was spread out, for plane_text().
inline constexpr char kSpreadRead[] =
    "#define $name(dx, dy) (t$i_spread_[tandem_reach(dy, $halo, $i) + $halo]"
    "[x + (tandem_reach(dx, $halo, $i) - t$i_first_) * $over])\n";

/// The file's own functions and tables. GCC turns each known value of a table into a vector in
/// memory. For a large table these vectors exceed the first cache, so its values are hidden.
std::string common_c_text(const StageFile& file);

}  // namespace tandem
