// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/outputs.h"

#include <dlfcn.h>
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {
namespace {

struct WindowSink {
  const char* factory;
  const char* display;  // the environment variable
};

// xvimagesink scales the video with the window, where the server can.
constexpr WindowSink kWindowSinks[] = {
    {"waylandsink", "WAYLAND_DISPLAY"}, {"xvimagesink", "DISPLAY"}, {"ximagesink", "DISPLAY"}};

constexpr const char* kInstead =
    "Run it in a desktop session or over `ssh -X`, or write a video with --output instead of "
    "--show.";

std::atomic<bool> display_is_lost{false};

// Xlib calls exit() when this returns.
int on_lost_display(void*) {
  display_is_lost = true;
  for (;;) pause();
}

bool can_open(GstElement* sink) {
  const ObjectRef<GstBus> errors(gst_bus_new());  // else they would be printed
  gst_element_set_bus(sink, errors.get());
  const bool opened = gst_element_set_state(sink, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE;
  gst_element_set_state(sink, GST_STATE_NULL);
  gst_element_set_bus(sink, nullptr);
  return opened;
}

/// The element that opens windows on the display of this session: on Wayland, else on X. Throws
/// Failure with the remedy if there is none. autovideosink would try sinks that need no display,
/// and sinks that crash there.
std::string window_sink() {
  std::string displays, missing;
  for (const auto& [factory, variable] : kWindowSinks) {
    const char* display = std::getenv(variable);
    if (!display || !*display) continue;
    GstElement* made = gst_element_factory_make(factory, nullptr);
    if (!made) {
      missing += (missing.empty() ? "" : ", ") + std::string(factory);
      continue;
    }
    const ObjectRef<GstElement> sink(GST_ELEMENT(gst_object_ref_sink(made)));
    if (can_open(made)) return factory;
    const std::string name = std::string(variable) + "=" + display;
    if (displays.find(name) == std::string::npos) displays += (displays.empty() ? "" : ", ") + name;
  }
  if (displays.empty() && missing.empty())
    throw Failure("--show: this session has no display (neither DISPLAY nor WAYLAND_DISPLAY)",
                  kInstead);
  if (missing.empty() || !displays.empty())
    throw Failure("--show: no window can be opened on the display (" + displays + ")", kInstead);
  throw Failure("--show: the GStreamer elements for windows are missing: " + missing,
                "Install them with: sudo apt-get install gstreamer1.0-x (X) or "
                "gstreamer1.0-plugins-bad (Wayland)");
}

// The plugin has loaded the library; nothing else here needs it.
/// From now on a lost display does not end the process, as it would by libX11. The thread that
/// detects the loss is blocked forever, so its pipeline cannot be stopped.
void survive_display() {
  void* library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  using Handler = int (*)(void* display);
  const auto set = reinterpret_cast<Handler (*)(Handler)>(dlsym(library, "XSetIOErrorHandler"));
  if (set) set(on_lost_display);
}

bool has_lost_display() { return display_is_lost; }

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
