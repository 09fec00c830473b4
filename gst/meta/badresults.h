// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

namespace tandem {

/// Counts of bad results of a frame, which read_results() leaves out or repairs.
struct BadResults {
  gsize boxes = 0;        ///< left out: without an area, or outside of the frame
  gsize confidences = 0;  ///< unknown: not a number from 0 to 1
  gsize labels = 0;       ///< repaired: not UTF-8, or longer than kMostLabelBytes
  gsize vectors = 0;      ///< left out: not finite, or outside of the frame
  gsize not_read = 0;     ///< left out: beyond kMostObjects or kMostVectors
};

/// Objects and scenes of a frame that are read. Data sets of dense crowds have fewer people in
/// almost every picture. This bounds the cost of a frame: its line of JSON has at most 20 MB.
inline constexpr gsize kMostObjects = 10'000;
/// Motion vectors of a frame that are read.
inline constexpr gsize kMostVectors = 100'000;
/// Bytes of a label that are read. One label of a megabyte costs its writer nothing, as all regions
/// share the text, and each reader a megabyte for each region.
inline constexpr gsize kMostLabelBytes = 256;

/// The beginning of `text`, which may be null, as UTF-8.
std::string clean_label(const gchar* text, BadResults& bad);

/// A confidence from 0 to 1, with a tolerance for rounding; nothing for other numbers.
std::optional<gdouble> clean_confidence(gdouble value, BadResults& bad);

/// Posts a warning of each kind that `told` does not have yet, and adds it there.
void tell_bad_results(GstElement* element, const BadResults& bad, BadResults& told);

}  // namespace tandem
