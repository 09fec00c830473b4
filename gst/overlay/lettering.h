// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gst/overlay/canvas.h"

typedef struct _PangoContext PangoContext;

namespace tandem {

/// A line of text as it is drawn. Places are pixels from where the line begins on its baseline.
struct WrittenLine {
  int width = 0, above = 0, below = 0;  ///< size of the line, blanks and accents included
  int x = 0, y = 0;                     ///< top left of `coverage`
  Coverage coverage;                    ///< of what is not blank
  int unknown_glyphs = 0;  ///< characters that no installed font has: boxes with their number
};

/// Writes lines of text in any script with the fonts of the machine, by Pango and Cairo. Caches its
/// lines, because labels repeat from frame to frame. Used by one thread at a time.
class Lettering {
 public:
  /// `em` is the size of the font, `widest` the width at which a line is cut with an ellipsis, both
  /// in pixels.
  Lettering(int em, int widest);
  ~Lettering();
  Lettering(const Lettering&) = delete;
  Lettering& operator=(const Lettering&) = delete;

  /// Whether the machine has any font. Without one nothing may be written.
  bool has_fonts() const;

  /// The first kMostBytes of `text`, which need not be UTF-8: each byte that is not becomes U+FFFD.
  std::shared_ptr<const WrittenLine> write(std::string_view text);
  static constexpr std::size_t kMostBytes = 512;

  /// Most bytes that are kept, except the last line: thousands of labels at HD.
  static constexpr std::size_t kMostKept = 4 << 20;
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Kept {
    std::string text;
    std::shared_ptr<const WrittenLine> line;
    std::size_t bytes() const { return sizeof(Kept) + text.size() + line->coverage.values.size(); }
  };
  WrittenLine render(std::string_view text) const;

  int em_, widest_;
  std::unique_ptr<PangoContext, void (*)(void*)> context_;
  std::list<Kept> kept_;                                                    ///< the last used first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> places_;  ///< keys lie in kept_
  std::size_t kept_bytes_ = 0;
};

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
