// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "kernels/stage_file/stage_file.h"

/// What a stage file makes of memory and loops: the same for both sides.
namespace tandem {

/// Memory that the code of a stage reads or writes.
struct StageTensor {
  enum class Role {
    kPixels,    ///< a plane of the frame, read
    kLumaOut,   ///< luma as the stage makes it
    kInput,     ///< a tensor on the frame
    kOutput,    ///< what the stage leaves on the frame
    kPrivate,   ///< what later parts read
    kBefore,    ///< `of` as it was written for the frame before
    kOther,     ///< `of` as the pass before wrote it
    kPartials,  ///< `of`, once for each piece that is reduced by itself
    kFlags,     ///< of a loop: which passes asked for another, and how many there were
  };
  Role role = Role::kOutput;
  std::string name;    ///< in the code
  std::string tensor;  ///< on the frame, of inputs and outputs
  ElementType type = ElementType::kUint8;
  StageShape shape;
  int of = -1;           ///< the index of a tensor
  double tolerance = 0;  ///< of outputs
};

/// A tensor as a part reads it.
struct StageAccess {
  enum class Kind {
    kPlane,  ///< name(dx, dy)
    kArray,  ///< name[i]
    kLocal,  ///< name(0, 0), which a part before this one in the same loop made
  };
  Kind kind = Kind::kPlane;
  std::string name;
  int tensor = -1;
  int halo = 0;
  /// The element (x, y) of the grid is over (x * times / over, y * times / over) of the tensor.
  int times = 1, over = 1;
};

/// A tensor as a part writes it.
struct StageStore {
  std::string name;
  ElementType type = ElementType::kUint8;
  int tensor = -1;    ///< negative: of use to the same loop alone
  int partials = -1;  ///< of kReduce: what pieces are reduced into
};

struct StagePlanPart {
  std::size_t part = 0;  ///< of the file
  std::vector<StageAccess> reads;
  std::vector<StageStore> writes;
};

/// One loop over a grid, one kernel on a device. Consecutive maps that read each other's elements
/// alone are one.
struct StageStep {
  StagePart::Skeleton skeleton = StagePart::Skeleton::kMap;
  StageShape grid;
  std::vector<StagePlanPart> parts;  ///< more than one: all kMap
  int passes = 1;
  bool until_settled = false;
  int flags = -1;  ///< the tensor of kFlags

  std::vector<int> tensors() const;  ///< all that it reads and writes, ascending
};

/// How far apart tensors with a shape lie in local memory, in elements.
std::size_t padded_elements(const StageShape& shape);

/// Pieces that are reduced by themselves on the cores, and at most.
inline constexpr int kHostPieces = 64, kMostPieces = 1024;
/// How many pieces a device reduces by itself: fewer of large partial results.
int device_pieces(std::size_t elements);

struct StagePlan {
  std::vector<StageTensor> tensors;
  std::vector<StageStep> steps;

  /// Rows of its grid can be computed on several cores: there is one step, which is no loop.
  bool has_bands() const;
};

/// Work-items of a group whose partial results fit into a device's local memory together, a power
/// of two; 0: they are too large, and lie in global memory.
int local_items(const StagePlan& plan, const StageStep& step);

/// Whether a device adds up the elements of partial results side by side: a reduction that says
/// nothing of how two are combined, of enough elements.
bool adds_elements(const StageFile& file, const StagePlan& plan, const StageStep& step);

/// Throws StageFileError when sizes do not fit together.
StagePlan plan_stage(const StageFile& file);

/// Why a frame cannot be split between cores and device; empty: it can. The plan is then one MAP
/// over a plane, each row of which needs rows of planes that its halos state.
std::string why_whole(const StageFile& file, const StagePlan& plan);

}  // namespace tandem
