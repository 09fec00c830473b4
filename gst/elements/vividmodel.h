// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "kernels/vivid_classifier/vivid_model.h"

namespace tandem {

/// The detector that `path` names, or, when it is empty, the one that comes with Tandem: in
/// $TANDEM_DATA_DIR/models, else where it was installed. Throws std::runtime_error that names the
/// file.
VividModel load_detector(const std::string& path);

}  // namespace tandem
