// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/pipeline/package_advice.h"

#include <gst/pbutils/missing-plugins.h>

#include <algorithm>
#include <iterator>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {

std::string apt_advice(const std::string& package) {
  return "Install it with: sudo apt-get install " + package;
}

std::string advice_for_element(const std::string& factory) {
  if (factory.starts_with("tandem") || factory.starts_with("vivid")) {
    return "The Tandem plugin is not found: run inside `meson devenv -C build`, or set "
           "GST_PLUGIN_PATH to the folder of libgsttandem.so.";
  }
  static constexpr const char* kGood[] = {"pngenc", "v4l2src", "autovideosink", "jpegenc",
                                          "videoflip"};
  const bool good = std::any_of(std::begin(kGood), std::end(kGood),
                                [&](const char* name) { return factory == name; });
  return apt_advice(good ? "gstreamer1.0-plugins-good" : "gstreamer1.0-plugins-base");
}

std::string advice_for_missing_plugin(GstMessage* message) {
  // "gstreamer|1.0|program|description|decoder-video/x-h264, ..."
  const GlibString detail(gst_missing_plugin_message_get_installer_detail(message));
  const std::string kind = detail ? split(detail.get(), '|').back() : "";
  if (kind.starts_with("urisource-http")) return apt_advice("gstreamer1.0-plugins-good");
  if (kind.starts_with("urisource-")) return apt_advice("gstreamer1.0-plugins-bad");
  if (kind.find("video/x-av1") != std::string::npos) {
    return apt_advice("gstreamer1.0-plugins-bad gstreamer1.0-libav");
  }
  return apt_advice("gstreamer1.0-libav gstreamer1.0-plugins-good gstreamer1.0-plugins-bad");
}

}  // namespace tandem
