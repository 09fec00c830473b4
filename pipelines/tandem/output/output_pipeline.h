// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"

namespace tandem {

/// A separate pipeline for output, with the frames of a pad of the analysis. Its formats, its QoS
/// and its failures do not reach that pad; only its back-pressure does.
class OutputPipeline {
 public:
  /// `problem`: begin of messages about a failure. `description`: a launch description that takes
  /// raw video. Throws Failure.
  OutputPipeline(std::string problem, const std::string& description);
  OutputPipeline(const OutputPipeline&) = delete;
  OutputPipeline& operator=(const OutputPipeline&) = delete;
  ~OutputPipeline() = default;

  GstBin* elements() const { return GST_BIN(elements_); }

  /// `hook` is called before the output begins; the Failure that it throws becomes the output's.
  void before_start(std::function<void()> hook) { before_start_ = std::move(hook); }

  /// Call once, before the analysis plays; this object outlives its streaming. The output begins
  /// with the first frame: where none comes, no file is touched. The EOS of `pad` waits until the
  /// output has ended.
  void take_from(GstPad* pad);

  /// Ends with this failure; as abandon().
  void fail(const Failure& failure);

  /// Accepts no more frames and does not wait. Its file is incomplete.
  void abandon();

  /// Closes what was written. Call it when the EOS of the pad has passed, or after abandon().
  void stop();

  /// Bytes that are written so far.
  uint64_t written() const;

  /// The error that ended the output early; none: no error, or it was taken before.
  std::optional<Failure> take_error();

  /// Whether the error was a closed window.
  bool is_closed() const { return closed_; }

 private:
  using Message = MiniObjectRef<GstMessage>;
  static GstBusSyncReply on_message(GstBus* bus, GstMessage* message, gpointer self);
  void start();
  void push(GstPad* pad, GstBuffer* frame);
  void end();
  // Ends the output; `note` is called before, with the lock, if it has not ended yet.
  void finish(const std::function<void()>& note = {});

  const std::string problem_;
  std::function<void()> before_start_;
  std::mutex mutex_;  // guards what follows; held over no call into GStreamer
  std::condition_variable changed_;
  uint64_t waiting_ = 0;  // frames
  bool over_ = false;     // EOS has passed, an error came, or it was abandoned
  Message error_;
  std::optional<Failure> refused_;  // by the hook

  Pipeline pipeline_;     // stopped first: its threads use what is above
  bool started_ = false;  // the streaming thread's
  std::atomic<bool> closed_{false};
  GstElement* entry_ = nullptr;
  GstElement* elements_ = nullptr;
};

}  // namespace tandem
