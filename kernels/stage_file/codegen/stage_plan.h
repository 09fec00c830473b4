// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "kernels/stage_file/stage_file.h"

/// The memory and the loops of a stage file, the same for both sides.
namespace tandem {

/// Memory that the code of a stage reads or writes.
struct StageTensor {
  enum class Role {
    kPixels,    ///< a plane of the frame, read
    kLumaOut,   ///< luma that the stage writes
    kInput,     ///< a tensor on the frame
    kOutput,    ///< a tensor that the stage adds to the frame
    kPrivate,   ///< read by later parts alone
    kBefore,    ///< `of` as written for the previous frame
    kOther,     ///< `of` as written by the previous pass
    kPartials,  ///< `of`, once for each piece of a reduction
    kFlags,     ///< of a loop: the passes that requested another one, and their number
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
    kLocal,  ///< name(0, 0), written by an earlier part of the same loop
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
  int tensor = -1;    ///< negative: only the same loop uses it
  int partials = -1;  ///< of kReduce: the tensor of the pieces' results
};

struct StagePlanPart {
  std::size_t part = 0;  ///< of the file
  std::vector<StageAccess> reads;
  std::vector<StageStore> writes;
};

/// One loop over a grid, or one kernel on a device. Consecutive maps that read only each other's
/// elements are one step.
struct StageStep {
  StagePart::Skeleton skeleton = StagePart::Skeleton::kMap;
  StageShape grid;
  std::vector<StagePlanPart> parts;  ///< more than one: all kMap
  int passes = 1;
  bool until_settled = false;
  int flags = -1;  ///< the tensor of kFlags

  std::vector<int> tensors() const;  ///< indices that it reads or writes, ascending
  /// Whether this pass of a loop writes the second memory of its tensor.
  bool writes_other(int pass) const {
    return skeleton == StagePart::Skeleton::kLoop && (passes - 1 - pass) % 2 != 0;
  }
};

/// Distance of tensors with a shape in local memory, in elements.
std::size_t padded_elements(const StageShape& shape);

/// Pieces of a reduction on the cores, and the most on any side.
inline constexpr int kHostPieces = 64, kMostPieces = 1024;
/// Pieces of a reduction on a device; fewer if partial results are large.
int device_pieces(std::size_t elements);

struct StagePlan {
  std::vector<StageTensor> tensors;
  std::vector<StageStep> steps;

  /// Several cores can compute rows of its grid: it has one step, which is no loop.
  bool has_bands() const;
};

/// Work-items of a group whose partial results fit into a device's local memory, a power of two; 0:
/// they are too large, and are kept in global memory.
int local_items(const StagePlan& plan, const StageStep& step);

/// Whether a device adds elements of partial results in parallel: for reductions without a COMBINE,
/// and with enough elements.
bool adds_elements(const StageFile& file, const StagePlan& plan, const StageStep& step);

/// Throws StageFileError if sizes do not match.
StagePlan plan_stage(const StageFile& file);

/// The reason why a frame cannot be split between cores and device; empty: it can. The plan is then
/// one MAP over a plane, whose halos state the rows of planes that each of its rows needs.
std::string why_whole(const StageFile& file, const StagePlan& plan);

}  // namespace tandem
