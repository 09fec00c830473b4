// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tandem::test {

/// gst_parse_launch_full(). GStreamer's parser keeps a reference of a child whose property it sets,
/// as in params::gain=2: LeakSanitizer leaves alone what such a line allocates.
inline GstElement* parse_line(const std::string& line, GstParseFlags flags, GError** error) {
#ifdef __SANITIZE_ADDRESS__
  std::optional<__lsan::ScopedDisabler> disabled;
  if (line.find("::") != line.npos) disabled.emplace();
#endif
  return gst_parse_launch_full(line.c_str(), nullptr, flags, error);
}

}  // namespace tandem::test
