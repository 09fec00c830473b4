// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "pipelines/tandem/options/options.h"

namespace tandem {

/// A floating bin with a `src` pad for raw I420 video: the main video stream of `uri`, decoded,
/// turned as its tags say, with square pixels. It has its own size or is scaled to `size`, with
/// bars that keep people's proportions.
GstElement* make_source(const std::string& uri, std::optional<Size> size);

/// As make_source with a moving pattern of `size` that has no end.
GstElement* make_test_source(Size size);

/// From now on the source produces frames of `size`. Call it where the frame that shall be the
/// first has not reached the source's scaler yet: from watch_source's callback.
void set_source_size(GstElement* source, Size size);

/// Calls `before_frame` with the number of each decoded frame, in the streaming thread, before it
/// is scaled; when it returns false the stream ends before this frame. Set it once.
void watch_source(GstElement* source, std::function<bool(uint64_t frame)> before_frame);

/// Ends the stream for the peer of the source pad `pad`, but not for `pad`. An ended pad refuses
/// events, and a tag that it refuses makes the next frame an error. Call it from a
/// probe of `pad` that drops all data and events afterwards.
void end_stream_behind(GstPad* pad);

/// Links to the sink pad of `first` the main one of the video streams of `decoder`, an
/// uridecodebin. Previews and attached pictures are passed over, wherever in the file they stand;
/// so is what is no video. Streams may come and go within the file. Without any video, `decoder`
/// reports an error: at the end of a file, and as soon as all streams of another input are known,
/// which may have no end. Both elements outlive the streaming.
void link_main_video(GstElement* decoder, GstElement* first);

}  // namespace tandem
