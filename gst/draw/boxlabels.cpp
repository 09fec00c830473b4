// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/draw/boxlabels.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr Color kTextColor = {0, 0, 0};

int em_of(int frame_height) { return std::max(10, frame_height / 64); }

void draw_line(Canvas& canvas, int64_t begin, int64_t baseline, const WrittenLine& line) {
  canvas.blend(begin + line.x, baseline + line.y, line.coverage, kTextColor);
}

}  // namespace

BoxLabels::BoxLabels(int frame_width, int frame_height)
    : em_(em_of(frame_height)), lettering_(em_, frame_width) {}

// Label and confidence are lines of their own: there are too many pairs of them to keep.
bool BoxLabels::draw(Canvas& canvas, const Rect& box, std::string_view label,
                     std::string_view confidence, Color color) {
  const auto name = lettering_.write(label), number = lettering_.write(confidence);
  const int margin = (em_ + 8) / 16;
  const int gap = label.empty() || confidence.empty() ? 0 : em_ / 3;
  const int width = name->width + gap + number->width + 2 * margin;
  const int above = margin + std::max(name->above, number->above);
  const int height = above + std::max(name->below, number->below) + margin;
  const int64_t x = std::max<int64_t>(0, std::min<int64_t>(box.x, canvas.width() - width));
  const int64_t y = box.y >= height ? box.y - height : box.y;
  canvas.fill({x, y, width, height}, color);
  const int64_t begin = x + margin, baseline = y + above;
  draw_line(canvas, begin, baseline, *name);
  draw_line(canvas, begin + name->width + gap, baseline, *number);
  return name->unknown_glyphs == 0;
}

}  // namespace tandem
