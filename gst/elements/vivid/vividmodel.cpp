// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/vivid/vividmodel.h"

#include "files/data_folder.h"

namespace tandem {

std::string detector_path(const std::string& path) {
  if (!path.empty()) return path;
  return data_folder() + "/models/person.vivid";
}

VividModel load_detector(const std::string& path) { return load_vivid_model(detector_path(path)); }

}  // namespace tandem
