// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

#include "files/file_handle.h"

namespace tandem {

/// `-`, or another name of standard output: /dev/stdout, the file that a shell redirects it to.
bool names_standard_output(const std::string& path);

/// The text that an option writes: into the file that it names, or to standard output, by any of
/// its names. The process's messages go to standard error then. A write continues where standard
/// output is, so that it overwrites nothing.
class TextOutput {
 public:
  /// Construct before the work whose result is written and before the first message. Throws Failure
  /// or UsageError that names `option` if `path` cannot be written, or if another option has taken
  /// standard output.
  TextOutput(std::string option, std::string path);

  bool is_standard_output() const { return standard_output_; }

  /// Creates the file; standard output is open already. Waits for the reader of a FIFO. Throws
  /// Failure.
  void open();

  /// Appends; the first call truncates the file, unless this process reads it. Returns the error,
  /// in one line with the option's name; empty: all is written. A closed pipe is such an error: the
  /// process has to ignore SIGPIPE.
  std::string append(std::string_view text);

  /// Opens, writes `text` and closes. Throws Failure.
  void write(std::string_view text);

  /// Returns the error of earlier writes, as append() does.
  std::string close();

 private:
  std::string truncate();
  std::string name() const;
  std::string problem(int error) const;

  std::string option_, path_;
  bool standard_output_ = false;
  bool has_old_text_ = false;  // of a file that was opened and not truncated
  FileHandle file_;
};

}  // namespace tandem
