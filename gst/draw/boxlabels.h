// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string_view>

#include "gst/draw/canvas.h"
#include "gst/draw/lettering.h"

namespace tandem {

/// Writes label and confidence at the boxes of frames of one size, readable from LD to HD. Used by
/// one thread at a time.
class BoxLabels {
 public:
  BoxLabels(int frame_width, int frame_height);

  /// Without fonts nothing may be drawn.
  bool has_fonts() const { return lettering_.has_fonts(); }

  /// Black on `color`, above the box where there is room, else inside of it; moved sideways into
  /// the frame. `confidence` may be empty. Returns whether the fonts have all of the letters.
  bool draw(Canvas& canvas, const Rect& box, std::string_view label, std::string_view confidence,
            Color color);

 private:
  int em_;
  Lettering lettering_;
};

}  // namespace tandem
