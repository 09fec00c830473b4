// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>
#include <vector>

namespace tandem::test {

struct CommandResult {
  int status = -1;  ///< exit status; -1: it did not run or was killed
  std::string output, errors;
};

/// Runs the built `tandem` with `words` and waits for it. meson.build's environment names the
/// command and the plugin.
CommandResult run_tandem(const std::vector<std::string>& words);

/// Starts it without waiting; returns its process id, or -1. What it says of errors goes to the
/// file `errors`, its output is thrown away.
int start_tandem(const std::vector<std::string>& words, const std::string& errors);
/// Its exit status; -1: it was killed, or did not end within minutes, which is a test failure.
int wait_for(int process);

/// A folder of this test's own, made empty.
std::string fresh_folder();

/// Writes a detector without any training to `folder`/models/person.vivid and makes it the default.
void make_model(const std::string& folder);

/// `frames` frames of a moving ball, as Motion JPEG in AVI, 25 a second.
void make_video(const std::string& path, int frames, int width, int height);

/// Plays `pipeline` to its end. An error is a test failure; so is a minute without an
/// end.
void play_to_end(GstElement* pipeline);

/// Plays the launch line `description`, in which `file` reads or writes `path`, to its end; an
/// error is a test failure. `prepare` is given the pipeline before.
void play_file(const std::string& description, const std::string& path,
               const std::function<void(GstElement* pipeline)>& prepare = {});

std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& bytes);

/// Frames that come out when GStreamer decodes `path`; an error is a test failure.
int count_frames(const std::string& path);

}  // namespace tandem::test
