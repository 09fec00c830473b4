// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem {

/// A demuxer of `pipeline` that has stopped reading and has found no stream; null when there is
/// none. decodebin of GStreamer 1.22 drops messages of a new element until it has linked it. The
/// error of a demuxer that fails before that is lost, and neither a frame nor an end ever comes.
/// The caller owns the reference.
GstElement* demuxer_without_streams(GstBin* pipeline);

}  // namespace tandem
