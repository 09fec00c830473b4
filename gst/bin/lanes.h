// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "model/stream_model.h"

namespace tandem {

/// What lanes of a device are expected to gain, by one of the models in
/// $TANDEM_DATA_DIR/models/lanes or that came with Tandem. Null where none is of this device.
std::shared_ptr<const StreamModel> lane_model_of(const std::string& device);

}  // namespace tandem
