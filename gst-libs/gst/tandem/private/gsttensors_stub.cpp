// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/gsttensors.h>

namespace tandem::gst_tensors {

bool are_available() { return false; }
void add(GstBuffer*, std::span<const GstTandemTensorMeta* const>) {}

}  // namespace tandem::gst_tensors
