// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/vividmodel.h"

#include <cstdlib>

namespace tandem {

VividModel load_detector(const std::string& path) {
  if (!path.empty()) return load_vivid_model(path);
  const char* folder = std::getenv("TANDEM_DATA_DIR");
  return load_vivid_model(std::string(folder ? folder : TANDEM_DATADIR) + "/models/person.vivid");
}

}  // namespace tandem
