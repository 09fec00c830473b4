// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem {

/// Links to the sink pad of `first` the main one of the video streams that `producer`, such as
/// uridecodebin, gives. Previews and attached pictures are passed over, wherever in the file they
/// stand. Without any video, `producer` reports an error, which ends a wait that would have no end.
/// Both elements outlive the streaming.
void link_main_video(GstElement* producer, GstElement* first);

}  // namespace tandem
