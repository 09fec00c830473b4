// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tandem {

/// A mistake in the options of a command: printed with a hint at --help, exit status 2.
class UsageError : public std::exception {
 public:
  explicit UsageError(std::string what) : what_(std::move(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Parses `argc`, `argv` by GOption entries (terminated by a null entry), GStreamer's own options
/// included, and initialises GStreamer. Throws UsageError.
void parse_options(int argc, char** argv, const char* parameters, const char* summary,
                   const GOptionEntry* entries);

/// Runs the body of a command; prints what it throws. Gives the exit status: 0, 1 for an error in
/// the work, 2 for one in the options.
int run_command(const char* name, const std::function<void()>& body);

/// Owns a string that GOption allocates.
struct StringOption {
  char* value = nullptr;
  ~StringOption() { g_free(value); }
  StringOption() = default;
  StringOption(const StringOption&) = delete;
  StringOption& operator=(const StringOption&) = delete;
  explicit operator bool() const { return value != nullptr; }
  std::string str() const { return value ? value : ""; }
};

/// Owns the strings of an option that may be given more than once.
struct StringsOption {
  char** values = nullptr;
  ~StringsOption() { g_strfreev(values); }
  StringsOption() = default;
  StringsOption(const StringsOption&) = delete;
  StringsOption& operator=(const StringsOption&) = delete;
  std::vector<std::string> all() const {
    std::vector<std::string> out;
    for (char** v = values; v && *v; ++v) out.emplace_back(*v);
    return out;
  }
};

}  // namespace tandem
