// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/lanes.h"

#include "files/data_folder.h"
#include "scheduler/learn/stream_model_file.h"

namespace tandem {

std::shared_ptr<const StreamModel> lane_model_of(const std::string& device) {
  return find_stream_model(data_folder() + "/models/lanes", device);
}

}  // namespace tandem
