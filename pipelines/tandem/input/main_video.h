// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

namespace tandem {

/// Links to the sink pad of `first` the main one of the video streams of `decoder`, an
/// uridecodebin. Previews and attached pictures are passed over, wherever in the file they stand;
/// so is what is no video. Streams may come and go within the file. Without any video, `decoder`
/// reports an error: at the end of a file, and as soon as all streams of another input are known,
/// which may have no end. Both elements outlive the streaming.
void link_main_video(GstElement* decoder, GstElement* first);

}  // namespace tandem
