// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// The arguments of a stage file's compiled code. prelude.c has the same structures in C. After a
/// change here, change them too, and kStageCallVersion, which is part of the cache's key.
namespace tandem {

inline constexpr int kStageCallVersion = 3;

/// A tensor of a call. On a device `data` is a cl_mem.
struct StageView {
  void* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< elements from row to row
  int width = 0, height = 0;
};

union StageValue {
  int whole;
  float real;
};

/// The place where code of a checking build used an index outside of an array.
struct StageOutside {
  const char* file = nullptr;  ///< the user's file; null: no such place
  unsigned line = 0, column = 0;
  long index = 0;
  const char* type = nullptr;  ///< of the array, in quotes
};

/// The first place where code of a checking build converted a float to a type that cannot hold its
/// value. The result is undefined in C, and processors and GPUs differ.
struct StageCast {
  const char* file = nullptr;  ///< the user's file; null: no such place
  unsigned line = 0, column = 0;
  double value = 0;
  const char* type = nullptr;  ///< of the number, in quotes
};

struct StageCall {
  int width = 0, height = 0;  ///< of the frame
  int frame = 0;              ///< number of earlier frames, for a stage that keeps tensors
  int pass = 0;
  int columns = 0, rows = 0;  ///< of the step's grid
  int piece_rows = 0;         ///< of kReduce: rows of the grid in a piece
  const StageValue* parameters = nullptr;
  const StageView* tensors = nullptr;  ///< of the plan
  // For a checking build.
  int* reach = nullptr;  ///< distance at which each tensor was read
  StageOutside* outside = nullptr;
  StageCast* cast = nullptr;
};

/// Computes rows [first, last) of a step's grid, or pieces of kReduce. Returns whether an element
/// of a loop requested another pass.
using StageFunction = int (*)(const StageCall* call, int first, int last);

}  // namespace tandem
