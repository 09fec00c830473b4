// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <vector>

#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// Types stay registered until the process ends, about 2 KiB each.
inline constexpr int kMostParameterSets = 4096;

/// An object whose properties are these parameters, with their defaults: the child `params` of a
/// kernelstage. GObject ties properties to classes, so each set of parameters has a class, named
/// after their hash. It is complete before its first object exists, and equal sets share it.
/// Thread-safe. Throws std::runtime_error once the process has kMostParameterSets of them.
ObjectRef<GstObject> make_stage_params(const std::vector<StageParameter>& parameters);

}  // namespace tandem
