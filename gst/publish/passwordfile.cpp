// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/passwordfile.h"

#include <glib.h>
#include <sys/stat.h>

#include <stdexcept>

#include "files/regular_file.h"

namespace tandem {

std::string read_password_file(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  RegularFile file = read_regular_file(path, kMostBytes);
  std::string password = file.bytes.substr(0, file.bytes.find_first_of("\r\n"));
  if (file.problem.empty() && password.empty()) file.problem = "begins with no password";
  if (password.find('\0') != password.npos) file.problem = "has a zero byte in the password";
  if (!file.problem.empty()) throw std::runtime_error("'" + path + "' " + file.problem);
  return password;
}

std::string exposure_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !(status.st_mode & (S_IRGRP | S_IROTH))) return {};
  gchar* quoted = g_shell_quote(path.c_str());
  std::string text = "Other users may read '" + path + "'. Run: chmod 600 " + quoted;
  g_free(quoted);
  return text;
}

}  // namespace tandem
