// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/window_sink.h"

#include <dlfcn.h>
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "pipelines/tandem/options/options.h"

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

}  // namespace

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
void survive_display() {
  void* library = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  using Handler = int (*)(void* display);
  const auto set = reinterpret_cast<Handler (*)(Handler)>(dlsym(library, "XSetIOErrorHandler"));
  if (set) set(on_lost_display);
}

bool has_lost_display() { return display_is_lost; }

}  // namespace tandem
