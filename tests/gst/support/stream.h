// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "model/configuration.h"
#include "tests/gst/support/frames.h"

namespace tandem::test {

/// tandembin with two cores, any device and these stages; it adapts to nothing.
std::string bin_of(const std::string& stages, const std::string& properties = "");
/// The properties of a bin that runs this configuration.
std::string properties_of(const Configuration& configuration);

/// The three stages of ViVid, linked.
inline constexpr char kStages[] = "vividfilter ! vividhistogram ! vividclassifier";
/// The same without a bin, on the CPU, with properties of the first.
std::string stages_alone(const std::string& filter_properties = "");
/// The same in bin_of, with properties of the bin and of the first stage.
std::string bin(const std::string& bin_properties = "", const std::string& filter_properties = "");

/// What was posted on a bus.
struct Message {
  GstMessageType type;
  std::string source, text;  ///< the element's name; the message of warnings and errors,
                             ///< the structure of element messages
};

/// Collects the messages of a pipeline as they are posted.
class Messages {
 public:
  explicit Messages(GstElement* pipeline);
  ~Messages();
  /// Waits for a message of this kind; fails the test when none comes in half a minute.
  Message wait(GstMessageType type);
  /// What an application hands to elements that ask for it (NEED_CONTEXT); takes over the
  /// reference.
  void offer(GstContext* context);
  std::vector<Message> all(GstMessageType type) const;

 private:
  static GstBusSyncReply on_message(GstBus* bus, GstMessage* message, gpointer user_data);
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Message> messages_;
  GstContext* offered_ = nullptr;
  GstBus* const bus_;
};

/// appsrc ! middle ! appsink. Both queue without limit, so that frames can be pushed ahead.
class Stream {
 public:
  /// `middle` is part of a launch line. Frames have `size` and `format` until caps() says
  /// otherwise.
  explicit Stream(const std::string& middle, Size size = {}, const char* format = "GRAY8");
  /// Any launch line that ends in "appsink name=sink".
  static std::unique_ptr<Stream> of(const std::string& line);
  ~Stream();

  GstElement* pipeline() const { return pipeline_; }
  /// An element by name; the stream keeps it alive.
  GstElement* element(const char* name) const;
  GstElement* tandembin() const { return element("tandembin0"); }
  /// Of tandembin: a number of `stats`, the configuration.
  uint64_t stat(const char* name) const;
  std::string configuration() const;

  void set_state(GstState state);  ///< waits as wait_for_state() does
  /// Until the last change of state has ended; the test fails when it does not. GStreamer 1.22 goes
  /// on from PAUSED to PLAYING on a thread, which gives up for good when PAUSED is asked for then.
  void wait_for_state();
  void play() { set_state_without_waiting(GST_STATE_PLAYING); }
  void set_state_without_waiting(GstState state);

  void caps(Size size, const char* format = "GRAY8");
  void push(int first, int last);  ///< frames [first, last)
  GstFlowReturn push_buffer(GstBuffer* buffer);
  void end();  ///< EOS
  /// The next `count` frames; fewer at EOS or when none comes in half a minute.
  std::vector<Result> pull(int count);
  std::vector<Result> pull_all();  ///< until EOS
  GstBuffer* pull_buffer();        ///< null at EOS
  /// Plays frames [0, count) to the end.
  std::vector<Result> run(int count);

  Messages messages;

 private:
  Stream(GstElement* pipeline, Size size, const char* format);
  GstElement* pipeline_;
  GstAppSrc* source_;  // null when the line has another source
  GstAppSink* sink_;
  Size size_;
  const char* format_;
};

/// Plays a frame and expects an error whose text has all parts.
void expect_stream_error(const std::string& line, Size size, const std::vector<std::string>& parts);

/// What the stages of ViVid alone on the CPU make of frames [0, count).
std::vector<Result> expected_results(int count, Size size = {},
                                     const std::string& filter_properties = "",
                                     const char* format = "GRAY8");

}  // namespace tandem::test
