// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>

#include <memory>

namespace tandem {

struct FreeText {
  void operator()(char* text) const { g_free(text); }
};
/// Owns a string that GLib or GStreamer allocated.
using Text = std::unique_ptr<char, FreeText>;

}  // namespace tandem
