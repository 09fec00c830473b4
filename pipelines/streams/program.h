// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stage_file/run/stream_plan.h"
#include "kernels/stage_file/stage_file.h"
#include "pipelines/streams/samples.h"

namespace tandem::streams {

/// A stage file with what its comments say of it (docs/generate.md).
struct Program {
  std::string path, name, data;
  StageFile file;
  StageFollows follows;
  int width = 1, height = 1;                                ///< of the frame
  std::map<std::string, std::pair<double, double>> bounds;  ///< of the values of tensors
  FeatureValues code;                                       ///< static features
};

/// `width`, `height`: of frames where the file does not say. Throws std::runtime_error.
Program load_program(const std::string& path, int width, int height);

/// Of files and folders of *.cl, in the order of names, which is that of data sets: those with the
/// number 1 (`mvt-1.cl`) of all programs come before those with the number 2. Throws
/// std::runtime_error for what is not there.
std::vector<std::string> find_programs(const std::vector<std::string>& places);

/// Random content for an input, the same each time.
std::vector<unsigned char> content_of(const Program& program, const StageTensor& tensor,
                                      std::size_t bytes);

}  // namespace tandem::streams
