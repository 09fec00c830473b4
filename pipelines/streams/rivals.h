// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "pipelines/streams/methods.h"
#include "pipelines/streams/rival_library.h"

namespace tandem::streams {

/// Whether OpenCV's rivals are available: this build has them, and their libraries are installed.
bool has_rivals();
Choose learn_rival(RivalKind kind, const Samples& training, const TrainOptions& options);

}  // namespace tandem::streams
