// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/tensormeta.h>

#include <span>

/// GstTensorMeta, which elements of GStreamer 1.26 and later read. Without its library nothing is
/// attached.
namespace tandem::gst_tensors {

bool are_available();

/// Adds tensors that are on `frame` as GstTandemTensorMeta, by reference to their memory. All
/// tensors of Tandem on a frame are in one GstTensorMeta, each name once: the one added last. A
/// meta of another element stays as it is, because readers count its tensors. GStreamer 1.26 does
/// not copy the meta when it copies the frame.
void add(GstBuffer* frame, std::span<const GstTandemTensorMeta* const> tensors);

}  // namespace tandem::gst_tensors
