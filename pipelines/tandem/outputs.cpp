// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/outputs.h"

#include <string>

#include "pipelines/tandem/end_guard.h"
#include "pipelines/tandem/same_file.h"
#include "pipelines/tandem/window_sink.h"

namespace tandem {
namespace {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

// What the input is was not known before it was open.
void check_is_not_read(const std::string& path) {
  if (is_being_read(path))
    throw Failure("--output would overwrite the input, '" + path + "'", "Name another file.");
}

}  // namespace

Outputs::Outputs(VideoFile* file, bool show, bool others) : others_(others), file_(file) {
  if (file) {
    const std::string problem = quoted(file->path()) + " cannot be written";
    OutputPipeline& output = all_.emplace_back(problem, file->description());
    file->watch(output.elements());
    output.before_start([path = file->path()] {
      check_is_not_read(path);
      if (EndGuard* guard = EndGuard::started()) guard->begin(quoted(path));
    });
  }
  // Frames that come late are shown nevertheless.
  if (show)
    window_ = &all_.emplace_back(
        "the window cannot be shown",
        "clocksync sync-to-first=true ! videoconvert ! " + window_sink() + " sync=false");
}

void Outputs::take_from(GstPad* pad) {
  for (OutputPipeline& output : all_) output.take_from(pad);
}

void Outputs::abandon() {
  for (OutputPipeline& output : all_) output.abandon();
}

uint64_t Outputs::written() const {
  uint64_t bytes = 0;
  for (const OutputPipeline& output : all_) bytes += output.written();
  return bytes;
}

bool Outputs::look() {
  for (OutputPipeline& output : all_) {
    const std::optional<Failure> failure = output.take_error();
    if (!failure) continue;
    ++failed_;
    if (&output == window_ && output.is_closed()) {
      window_closed_ = true;
      if (is_needed())
        g_printerr("tandem: the window was closed; the rest goes on (Ctrl-C ends it)\n");
      continue;
    }
    if (EndGuard* guard = EndGuard::started(); guard && &output != window_)
      guard->finish(quoted(file_->path()));  // the failure tells of it
    if (!failure_) failure_ = failure;
    if (is_needed())
      g_printerr("tandem: warning: %s. The rest goes on without it.\n", failure->what());
  }
  return is_needed();
}

void Outputs::stop() {
  for (OutputPipeline& output : all_) output.stop();
  if (EndGuard* guard = EndGuard::started(); guard && file_) guard->finish(quoted(file_->path()));
}

}  // namespace tandem
