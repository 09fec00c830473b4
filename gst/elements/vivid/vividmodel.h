// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/vivid_classifier/vivid_model.h"

namespace tandem {

/// `path`, or, when it is empty, the detector that comes with Tandem: in $TANDEM_DATA_DIR/models,
/// else where it was installed.
std::string detector_path(const std::string& path);

/// The detector at detector_path(). Throws std::runtime_error that names the file.
VividModel load_detector(const std::string& path);

}  // namespace tandem
