// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/overlay/lettering.h"

#include <pango/pangocairo.h>

#include <algorithm>

namespace tandem {
namespace {

template <typename T>
using Object = std::unique_ptr<T, void (*)(void*)>;

template <typename T>
Object<T> own(T* object) {
  return Object<T>(object, g_object_unref);
}

// A context with a font map of its own, for Pango's objects belong to one thread at a time.
PangoContext* new_context(int em) {
  const Object<PangoFontMap> fonts = own(pango_cairo_font_map_new());
  PangoContext* context = pango_font_map_create_context(fonts.get());
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  pango_cairo_context_set_font_options(context, options);
  cairo_font_options_destroy(options);
  PangoFontDescription* font = pango_font_description_from_string("Sans");
  pango_font_description_set_absolute_size(font, 1.0 * em * PANGO_SCALE);
  pango_context_set_font_description(context, font);
  pango_font_description_free(font);
  return context;
}

// Cut between two characters.
std::string_view beginning(std::string_view text) {
  if (text.size() <= Lettering::kMostBytes) return text;
  std::size_t end = Lettering::kMostBytes;
  while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

Object<PangoLayout> lay_out(PangoContext* context, std::string_view text, int widest) {
  Object<PangoLayout> layout = own(pango_layout_new(context));
  const std::unique_ptr<char, void (*)(void*)> valid(
      g_utf8_make_valid(text.data(), static_cast<gssize>(text.size())), g_free);
  pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
  pango_layout_set_width(layout.get(), widest * PANGO_SCALE);
  pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_END);
  pango_layout_set_text(layout.get(), valid.get(), -1);
  return layout;
}

PangoRectangle common(const PangoRectangle& a, const PangoRectangle& b) {
  const int x0 = std::max(a.x, b.x), x1 = std::min(a.x + a.width, b.x + b.width);
  const int y0 = std::max(a.y, b.y), y1 = std::min(a.y + a.height, b.y + b.height);
  return {x0, y0, x1 - x0, y1 - y0};
}

// The coverage of `area` by `layout`. The area is in pixels of the layout.
Coverage draw(PangoLayout* layout, const PangoRectangle& area) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_A8, area.width, area.height);
  cairo_t* cairo = cairo_create(surface);
  cairo_move_to(cairo, -area.x, -area.y);
  pango_cairo_show_layout(cairo, layout);
  cairo_destroy(cairo);
  cairo_surface_flush(surface);
  Coverage coverage;
  if (const uint8_t* rows = cairo_image_surface_get_data(surface)) {
    const std::ptrdiff_t stride = cairo_image_surface_get_stride(surface);
    coverage = {area.width, area.height, {}};
    coverage.values.reserve(std::size_t(area.width) * area.height);
    for (int y = 0; y < area.height; ++y)
      coverage.values.insert(coverage.values.end(), rows + y * stride,
                             rows + y * stride + area.width);
  }
  cairo_surface_destroy(surface);
  return coverage;
}

constexpr Color kTextColor = {0, 0, 0};

int em_of(int frame_height) { return std::max(10, frame_height / 64); }

void draw_line(Canvas& canvas, int64_t begin, int64_t baseline, const WrittenLine& line) {
  canvas.blend(begin + line.x, baseline + line.y, line.coverage, kTextColor);
}

}  // namespace

Lettering::Lettering(int em, int widest)
    : em_(em), widest_(widest), context_(new_context(em), g_object_unref) {}

Lettering::~Lettering() = default;

// Pango lists families that are names alone, such as Sans, on a machine without fonts too.
bool Lettering::has_fonts() const {
  return pango_layout_get_unknown_glyphs_count(lay_out(context_.get(), "0", widest_).get()) == 0;
}

std::shared_ptr<const WrittenLine> Lettering::write(std::string_view text) {
  text = beginning(text);
  if (const auto place = places_.find(text); place != places_.end()) {
    kept_.splice(kept_.begin(), kept_, place->second);
    return kept_.front().line;
  }
  kept_.push_front({std::string(text), std::make_shared<const WrittenLine>(render(text))});
  places_.emplace(kept_.front().text, kept_.begin());
  kept_bytes_ += kept_.front().bytes();
  while (kept_bytes_ > kMostKept && kept_.size() > 1) {
    kept_bytes_ -= kept_.back().bytes();
    places_.erase(kept_.back().text);
    kept_.pop_back();
  }
  return kept_.front().line;
}

WrittenLine Lettering::render(std::string_view text) const {
  const Object<PangoLayout> layout = lay_out(context_.get(), text, widest_);
  PangoRectangle ink, logical;
  pango_layout_get_pixel_extents(layout.get(), &ink, &logical);
  // Marks may pile up without end, and fonts may have wrong bounds.
  const PangoRectangle bounds = {logical.x - em_, logical.y - em_, widest_ + 2 * em_, 6 * em_};
  const PangoRectangle area = common(ink, bounds);
  const int baseline = PANGO_PIXELS(pango_layout_get_baseline(layout.get()));
  WrittenLine line;
  // Text from right to left lies at the right end of `widest_`.
  line.width = std::min(logical.width, widest_);
  line.above = baseline - logical.y;
  line.below = logical.y + logical.height - baseline;
  line.x = area.x - logical.x;
  line.y = area.y - baseline;
  line.unknown_glyphs = pango_layout_get_unknown_glyphs_count(layout.get());
  if (area.width > 0 && area.height > 0) line.coverage = draw(layout.get(), area);
  return line;
}

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
