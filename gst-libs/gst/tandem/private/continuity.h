// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

namespace tandem {

/// Whether both caps describe the same frames, whatever their rate. Streams of a variable rate
/// state several.
bool same_frames(const GstCaps* before, const GstCaps* now);

/// Detects breaks of a stream, at which the state that a stage or a bin keeps from frame to frame
/// is reset:
///
/// | event of the sink pad | break |
/// | --- | --- |
/// | STREAM_START, FLUSH_STOP | always |
/// | CAPS | unless they describe the same frames as the previous caps |
/// | SEGMENT | unless running time and stream time continue the previous segment |
/// | others, such as GAP and TAG | never |
///
/// For one thread at a time.
class Continuity {
 public:
  bool broken_by(GstEvent* event);
  /// The next frame is the first.
  void forget() { *this = {}; }

 private:
  using CapsKept = MiniObjectRef<GstCaps>;
  using EventKept = MiniObjectRef<GstEvent>;

  CapsKept caps_;
  EventKept segment_;
};

}  // namespace tandem
