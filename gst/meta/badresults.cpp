// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/meta/badresults.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace tandem {

std::string clean_label(const gchar* text, BadResults& bad) {
  if (!text) return {};
  gsize bytes = strnlen(text, kMostLabelBytes + 1);
  const bool is_cut = bytes > kMostLabelBytes;
  if (is_cut) {  // between two characters
    for (bytes = kMostLabelBytes; bytes > 0 && (text[bytes] & 0xC0) == 0x80;) --bytes;
  }
  const bool is_valid = g_utf8_validate_len(text, bytes, nullptr);
  if (is_cut || !is_valid) ++bad.labels;
  if (is_valid) return {text, bytes};
  const std::unique_ptr<gchar, void (*)(void*)> valid(
      g_utf8_make_valid(text, static_cast<gssize>(bytes)), g_free);
  return valid.get();
}

std::optional<gdouble> clean_confidence(gdouble value, BadResults& bad) {
  constexpr gdouble kRounding = 1e-3;
  if (value >= -kRounding && value <= 1 + kRounding) return std::clamp(value, 0.0, 1.0);
  ++bad.confidences;
  return std::nullopt;
}

void tell_bad_results(GstElement* element, const BadResults& bad, BadResults& told) {
  constexpr struct {
    gsize BadResults::*count;
    const char *what, *consequence;
  } kKinds[] = {
      {&BadResults::boxes, "Objects have boxes without an area or outside of the frame",
       "they are left out"},
      {&BadResults::confidences, "Objects have confidences that are not numbers from 0 to 1",
       "they count as unknown"},
      {&BadResults::labels, "Labels are not UTF-8 or too long",
       "invalid bytes are replaced, and at most 256 bytes are read"},
      {&BadResults::vectors, "Motion vectors are not finite or outside of the frame",
       "they are left out"},
      {&BadResults::not_read, "A frame has more than 10000 objects or 100000 motion vectors",
       "the others are left out"}};
  for (const auto& [count, what, consequence] : kKinds) {
    if (bad.*count == 0 || told.*count > 0) continue;
    told.*count = bad.*count;
    GST_ELEMENT_WARNING(
        element, STREAM, FAILED, ("%s: %s.", what, consequence),
        ("%" G_GSIZE_FORMAT " in this frame. Later frames are treated alike, without a message.",
         bad.*count));
  }
}

}  // namespace tandem
