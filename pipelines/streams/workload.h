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

/// A stage file that is measured, with the data of its comments (docs/generate.md): the data set,
/// the size of frames and the values of tensors.
struct Workload {
  std::string path, name, data;
  StageFile file;
  StageDependencies dependencies;
  int width = 1, height = 1;                                ///< of the frame
  std::map<std::string, std::pair<double, double>> bounds;  ///< of the values of tensors
  FeatureValues code;                                       ///< static features
};

/// `width`, `height`: of frames if the file has none. Throws std::runtime_error.
Workload load_workload(const std::string& path, int width, int height);

/// The files, and the *.cl files of the folders. Data set 1 of all programs (`mvt-1.cl`) comes
/// before data set 2. Throws std::runtime_error for a place that is not there.
std::vector<std::string> find_stage_files(const std::vector<std::string>& places);

/// Random content for an input, the same each time.
std::vector<unsigned char> content_of(const Workload& workload, const StageTensor& tensor,
                                      std::size_t bytes);

}  // namespace tandem::streams
