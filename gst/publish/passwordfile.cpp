// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/passwordfile.h"

#include <stdexcept>

#include "files/regular_file.h"

namespace tandem {

std::string read_password_file(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  RegularFile file = read_regular_file(path, kMostBytes);
  std::string password = file.bytes.substr(0, file.bytes.find_first_of("\r\n"));
  if (file.problem.empty() && password.empty()) file.problem = "begins with no password";
  if (!file.problem.empty()) throw std::runtime_error("'" + path + "' " + file.problem);
  return password;
}

}  // namespace tandem
