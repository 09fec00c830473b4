// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>

#include <memory>
#include <string>

namespace tandem {

struct GlibFree {
  void operator()(char* text) const { g_free(text); }
  void operator()(GError* error) const { g_error_free(error); }
};

/// Owns a string that GLib or GStreamer allocated.
using GlibString = std::unique_ptr<char, GlibFree>;
/// Owns an error of GLib or GStreamer.
using GlibError = std::unique_ptr<GError, GlibFree>;

/// The message of an error, which is freed.
inline std::string take_message(GError* error) { return GlibError(error)->message; }

}  // namespace tandem
