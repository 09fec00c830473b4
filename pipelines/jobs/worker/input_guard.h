// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "files/regular_file.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {

/// The inputs that a worker reads for the writers of its queue.
struct InputRules {
  /// Other sources of GStreamer may wait forever (FIFOs of pushfile:), use foreign handles (fd:),
  /// or open further files (splitmux:).
  std::set<std::string> schemes{"file", "http", "https", "rtsp"};
  /// 4096x2304, the largest that cameras call 4K. The application that needs the most (scene) takes
  /// 127 bytes a pixel with one thread: 1.2 GB. Frames of 7680x4320 took 4 GB.
  uint64_t most_pixels = 4096 * 2304;
};

/// The job is not for this worker, whatever the state of its machine.
class Refused : public Failure {
 public:
  using Failure::Failure;
};

/// Restricts a pipeline to these rules, including files that a playlist names.
class InputGuard {
 public:
  explicit InputGuard(const InputRules& rules) : rules_(rules) {}
  InputGuard(const InputGuard&) = delete;
  InputGuard& operator=(const InputGuard&) = delete;

  /// Opens the file that `uri` names. Throws Refused: its scheme is not allowed; Failure: it is no
  /// regular file. Does not wait, unless the file system does.
  void check(const std::string& uri);
  /// Throws Refused when frames of this size have too many pixels.
  void check_pixels(double width, double height);
  /// The last error thrown: the bus has only its text.
  std::optional<Refused> refused();
  /// From now on the pipeline's sources are held to the rules, and read the file that was checked,
  /// even if its path has another one by then. This object outlives the pipeline.
  void watch(GstElement* pipeline);

 private:
  static void on_element(GstBin* pipeline, GstBin* bin, GstElement* element, gpointer self);
  void let_in(GstElement* source, const std::string& uri);
  [[noreturn]] void refuse(const std::string& what, const std::string& advice);

  const InputRules& rules_;
  std::mutex mutex_;                         // guards what follows
  std::map<std::string, FileHandle> files_;  // by URI
  std::optional<Refused> refused_;
};

}  // namespace tandem
