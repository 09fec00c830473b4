// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

/// What compiled code of a stage file is called with. prelude.c has the same structures in C: a
/// change here is one there, and in kStageCallVersion, which is part of the cache's key.
namespace tandem {

inline constexpr int kStageCallVersion = 3;

/// A tensor of a call; on a device `data` is a cl_mem.
struct StageView {
  void* data = nullptr;
  std::ptrdiff_t stride = 0;  ///< elements from row to row
  int width = 0, height = 0;
};

union StageValue {
  int whole;
  float real;
};

/// Where code of a checking build had an index that its array does not have.
struct StageOutside {
  const char* file = nullptr;  ///< of the user's; null: nowhere
  unsigned line = 0, column = 0;
  long index = 0;
  const char* type = nullptr;  ///< of the array, in quotes
};

/// Where code of a checking build first made a number of a float that its type does not have. C
/// leaves open what becomes of it, and processors and GPUs differ.
struct StageCast {
  const char* file = nullptr;  ///< of the user's; null: nowhere
  unsigned line = 0, column = 0;
  double value = 0;
  const char* type = nullptr;  ///< of the number, in quotes
};

struct StageCall {
  int width = 0, height = 0;  ///< of the frame
  int frame = 0;              ///< how many came before, of a stage that keeps tensors
  int pass = 0;
  int columns = 0, rows = 0;  ///< of the step's grid
  int piece_rows = 0;         ///< of kReduce: rows of the grid in a piece
  const StageValue* parameters = nullptr;
  const StageView* tensors = nullptr;  ///< of the plan
  // Of a checking build.
  int* reach = nullptr;  ///< how far each tensor was read
  StageOutside* outside = nullptr;
  StageCast* cast = nullptr;
};

/// Computes rows [first, last) of a step's grid, or pieces of kReduce. Returns whether an element
/// of a loop asked for another pass.
using StageFunction = int (*)(const StageCall* call, int first, int last);

}  // namespace tandem
