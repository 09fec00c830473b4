// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <functional>
#include <string>

#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {

using MessageRef = MiniObjectRef<GstMessage>;

/// The messages of a playing pipeline, for a loop that reads its bus. One thread at a time.
class BusMessages {
 public:
  /// `input`: the name in error messages of the video that is read. `element_message`: called with
  /// each element message; may be empty. `pipeline` outlives this.
  BusMessages(GstElement* pipeline, std::string input,
              std::function<void(const GstStructure*)> element_message);

  /// Handles a message; prints warnings. True: the stream has ended or failed.
  bool take(GstMessage* message);

  /// Posts the error that a demuxer lost (demuxer_without_streams()). Called ten times a second.
  void find_lost_error();

  /// Throws the first error as Failure, with advice; returns if there is none.
  void throw_failure();

 private:
  GstElement* const pipeline_;
  const std::string input_;
  const std::function<void(const GstStructure*)> element_message_;
  std::string missing_;  // advice for plugins found missing
  MessageRef error_;
};

/// A demuxer of `pipeline` that has stopped reading and has found no stream; null when there is
/// none. decodebin of GStreamer 1.22 drops messages of a new element until it has linked it. The
/// error of a demuxer that fails before that is lost, and neither a frame nor an end ever comes.
/// The caller owns the reference.
GstElement* demuxer_without_streams(GstBin* pipeline);

/// The error that a message reports, or its warning.
struct MessageError {
  explicit MessageError(GstMessage* message);
  bool is(GQuark domain, int code) const { return g_error_matches(error.get(), domain, code); }

  GlibError error;
  std::string reason;  ///< the cause, from the second line of the details; may be empty
};

/// Prints a warning, whose text may be the video's, as a terminal may show it.
void print_warning(GstMessage* message);

/// Throws the error `message`, which it takes over, as Failure in terms of a user. `missing`: the
/// advice for plugins found missing.
[[noreturn]] void throw_error(GstMessage* message, const std::string& input,
                              const std::string& missing);

}  // namespace tandem
