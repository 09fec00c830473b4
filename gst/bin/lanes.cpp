// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/lanes.h"

#include <cstdlib>

#include "scheduler/learn/stream_model_file.h"

namespace tandem {

std::shared_ptr<const StreamModel> lane_model_of(const std::string& device) {
  const char* const folder = std::getenv("TANDEM_DATA_DIR");
  return find_stream_model(std::string(folder ? folder : TANDEM_DATADIR) + "/models/lanes", device);
}

}  // namespace tandem
