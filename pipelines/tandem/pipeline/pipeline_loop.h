// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstdint>
#include <functional>
#include <string>

namespace tandem {

/// A pipeline that is stopped when this goes out of scope. Takes over a floating reference.
class Pipeline {
 public:
  explicit Pipeline(GstElement* pipeline);
  ~Pipeline();
  GstElement* get() const { return element_.get(); }

  /// Adds `element` (floating) and returns it.
  GstElement* add(GstElement* element);

  /// Throws Failure with both names if they cannot be linked.
  static void link(GstElement* from, GstElement* to);

 private:
  ObjectRef<GstElement> element_;
};

/// Callbacks while a pipeline plays, on the thread that plays it.
struct PlayHandlers {
  std::function<void()> tick;       ///< ten times a second
  std::function<void()> interrupt;  ///< by Ctrl-C: should make the stream end
  std::function<void(const GstStructure*)> element_message = {};
  /// A number that changes while the stream is ending after an interruption: frames, bytes.
  std::function<uint64_t()> progress = {};
};

/// The end of a pipeline.
enum class Ended {
  by_itself,
  interrupted,  ///< by Ctrl-C, with all frames in flight
  at_once       ///< by a second Ctrl-C, or 2 s without progress: what it writes is not complete
};

/// Plays `pipeline` to its end. Throws Failure, with advice, for the first error that an element
/// reports before an interruption; `input` is the name of the input in messages.
Ended play(const Pipeline& pipeline, const std::string& input, const PlayHandlers& handlers);

}  // namespace tandem
