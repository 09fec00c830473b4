// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

namespace tandem {

/// The findings of an application, read from the metadata on frames. One
/// thread at a time.
class ResultSummary {
 public:
  virtual ~ResultSummary() = default;
  /// One more frame, in stream order. True: something was found in it.
  virtual bool add(GstBuffer* frame) = 0;
  /// A few words for a line that is redrawn: "12 people found".
  virtual std::string progress() const = 0;
  /// The summary of the frames so far, as the end of a sentence.
  virtual std::string summary() const { return progress(); }
};

/// Makes the summary of the frames of `bin`, a tandembin that is set up.
using MakeResultSummary = std::unique_ptr<ResultSummary>(GstElement* bin);

/// Regions, each a person.
MakeResultSummary summarise_people;
/// Objects of several classes, or a class of each frame.
MakeResultSummary summarise_findings;
/// Motion vectors and the tracks that they are part of.
MakeResultSummary summarise_tracks;
/// The labels of regions: one a frame, for the whole of it.
MakeResultSummary summarise_labels;
/// No findings: the frames themselves are the result. Reports the iterations of repeated stages.
MakeResultSummary summarise_speckle;

}  // namespace tandem
