// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/vivid/vividmodel.h"

#include <cstdlib>

namespace tandem {

std::string detector_path(const std::string& path) {
  if (!path.empty()) return path;
  const char* folder = std::getenv("TANDEM_DATA_DIR");
  return std::string(folder ? folder : TANDEM_DATADIR) + "/models/person.vivid";
}

VividModel load_detector(const std::string& path) { return load_vivid_model(detector_path(path)); }

}  // namespace tandem
