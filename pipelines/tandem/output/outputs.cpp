// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/outputs.h"

#include <string>

#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/window_sink.h"
#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {
namespace {

std::string quoted(const std::string& path) { return "'" + path + "'"; }

// Some inputs are known only once they are open.
void check_is_not_read(const std::string& path) {
  if (is_being_read(path))
    throw Failure("--output would overwrite the input, '" + path + "'", "Name another file.");
}

}  // namespace

Outputs::Outputs(VideoFile* file, bool show, bool others) : others_(others), file_(file) {
  if (file) {
    const std::string problem = quoted(file->path()) + " cannot be written";
    OutputPipeline& output =
        *all_.emplace_back(std::make_unique<OutputPipeline>(problem, file->description()));
    file->watch(output.elements());
    output.before_start([path = file->path()] {
      check_is_not_read(path);
      if (EndGuard* guard = EndGuard::started()) guard->begin(quoted(path));
    });
  }
  // Frames that come late are shown nevertheless.
  if (show) {
    const std::string sink = window_sink() + " sync=false";
    window_ = all_.emplace_back(std::make_unique<OutputPipeline>(
                                    "the window cannot be shown",
                                    "clocksync sync-to-first=true ! videoconvert ! " + sink))
                  .get();
    survive_display();
  }
}

Outputs::~Outputs() {
  if (!all_.empty() && is_lost(*all_.back())) (void)all_.back().release();
}

// Whoever calls into it may wait for ever.
bool Outputs::is_lost(const OutputPipeline& output) const {
  return &output == window_ && has_lost_display();
}

void Outputs::take_from(GstPad* pad) {
  for (const auto& output : all_) output->take_from(pad);
}

void Outputs::abandon() {
  for (const auto& output : all_) output->abandon();
}

uint64_t Outputs::written() const {
  uint64_t bytes = 0;
  for (const auto& output : all_) bytes += is_lost(*output) ? 0 : output->written();
  return bytes;
}

bool Outputs::report_failures() {
  for (const auto& output : all_) {
    if (is_lost(*output))
      output->fail(Failure("the window cannot be shown: the connection to its display was lost"));
    const std::optional<Failure> failure = output->take_error();
    if (!failure) continue;
    ++failed_;
    const bool is_window = output.get() == window_;
    if (is_window && output->is_closed()) {
      window_closed_ = true;
      if (is_needed())
        g_printerr("tandem: the window was closed; the run continues (Ctrl-C ends it)\n");
      continue;
    }
    if (EndGuard* guard = EndGuard::started(); guard && !is_window)
      guard->finish(quoted(file_->path()));  // the failure tells of it
    if (!failure_) failure_ = failure;
    if (is_needed())
      g_printerr("tandem: warning: %s. The run continues without it.\n", failure->what());
  }
  return is_needed();
}

void Outputs::stop() {
  for (const auto& output : all_)
    if (!is_lost(*output)) output->stop();
  if (EndGuard* guard = EndGuard::started(); guard && file_) guard->finish(quoted(file_->path()));
}

}  // namespace tandem
