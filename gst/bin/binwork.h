// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "gst/stage/stage.h"
#include "gst/util/ref.h"

namespace tandem {

/// What the stages compute: each with its properties, except those of the stream and the device.
std::string describe_work(const std::vector<ObjectRef<GstTandemStage>>& stages);

}  // namespace tandem
