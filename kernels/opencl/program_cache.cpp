// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/program_cache.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "kernels/opencl/opencl.h"
#include "kernels/util/regular_file.h"

namespace tandem::opencl {

std::string cache_folder() {
  std::filesystem::path folder;
  if (const char* own = std::getenv("TANDEM_CACHE_DIR"); own != nullptr && *own != 0) {
    folder = own;
  } else if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    folder = std::filesystem::path(xdg) / "tandem";
  } else if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    folder = std::filesystem::path(home) / ".cache" / "tandem";
  } else {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  return access(folder.c_str(), R_OK | W_OK | X_OK) == 0 ? folder.string() : std::string();
}

namespace program_cache {

namespace {

// A file is this line, the key, a zero byte, the binary, and the 64-bit hash of all that.
constexpr std::string_view kMagic = "tandem program 1\n";
constexpr std::size_t kHashBytes = 8;
// Far more than a program of ours takes: what is longer is not ours.
constexpr std::size_t kMostBytes = 64u << 20;

std::string path_of(const std::string& folder, const std::string& key) {
  char name[32];
  std::snprintf(name, sizeof name, "/%016" PRIx64 ".clbin", hash(key));
  return folder + name;
}

std::string hash_bytes(std::string_view bytes) {
  const uint64_t value = hash(bytes);
  std::string result;
  for (std::size_t i = 0; i < kHashBytes; ++i) result += static_cast<char>(value >> (8 * i));
  return result;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

uint64_t hash(std::string_view bytes) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const char byte : bytes) {
    value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return value;
}

std::vector<unsigned char> load(const std::string& key) try {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  const std::string file =
      read_regular_file(path_of(folder, key), kMostBytes, Links::kRefuse).bytes;
  const std::string header = std::string(kMagic) + key + '\0';
  if (file.size() < header.size() + kHashBytes || file.compare(0, header.size(), header) != 0) {
    return {};
  }
  const std::string_view body(file.data(), file.size() - kHashBytes);
  if (file.substr(body.size()) != hash_bytes(body)) return {};
  return {body.begin() + static_cast<std::ptrdiff_t>(header.size()), body.end()};
} catch (const std::exception&) {
  return {};  // no memory for it, say
}

void store(const std::string& key, const std::vector<unsigned char>& binary) try {
  const std::string folder = cache_folder();
  if (folder.empty() || binary.empty()) return;
  std::string bytes = std::string(kMagic) + key + '\0';
  bytes.append(binary.begin(), binary.end());
  bytes += hash_bytes(bytes);
  if (bytes.size() > kMostBytes) return;

  std::string temporary = folder + "/program-XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return;
  const bool written = write_all(file, bytes);
  const bool closed = close(file) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path_of(folder, key).c_str()) != 0) {
    unlink(temporary.c_str());
  }
} catch (const std::exception&) {
  // Not kept, which costs the next start its compile time.
}

}  // namespace program_cache
}  // namespace tandem::opencl
