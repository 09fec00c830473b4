// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "files/data_folder.h"

namespace tandem {

/// `path`, or, when it is empty, the model `ours` that comes with Tandem: in
/// $TANDEM_DATA_DIR/models, else where it was installed.
inline std::string model_path(const std::string& path, const char* ours) {
  return path.empty() ? data_folder() + "/models/" + ours : path;
}

}  // namespace tandem
