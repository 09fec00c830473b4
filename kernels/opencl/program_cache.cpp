// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/program_cache.h"

#include <cinttypes>
#include <cstdio>
#include <exception>

#include "files/cache_folder.h"
#include "files/hash.h"
#include "files/regular_file.h"
#include "files/replace_file.h"

namespace tandem::opencl::program_cache {
namespace {

// A file is this line, the key, a zero byte, the binary, and the 64-bit hash of all that.
constexpr std::string_view kMagic = "tandem program 1\n";
constexpr std::size_t kHashBytes = 8;
// Far more than a program of ours takes: what is longer is not ours.
constexpr std::size_t kMostBytes = 64u << 20;

std::string path_of(const std::string& folder, const std::string& key) {
  char name[32];
  std::snprintf(name, sizeof name, "/%016" PRIx64 ".clbin", hash_of(key));
  return folder + name;
}

std::string hash_bytes(std::string_view bytes) {
  const uint64_t value = hash_of(bytes);
  std::string result;
  for (std::size_t i = 0; i < kHashBytes; ++i) result += static_cast<char>(value >> (8 * i));
  return result;
}

}  // namespace

std::vector<unsigned char> load(const std::string& key) try {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  const std::string file =
      read_regular_file(path_of(folder, key), kMostBytes, Links::kRefuse, Owner::kThisUser).bytes;
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
  (void)replace_file(path_of(folder, key), bytes, Durable::kNo);
} catch (const std::exception&) {
  // Not kept, which costs the next start its compile time.
}

}  // namespace tandem::opencl::program_cache
