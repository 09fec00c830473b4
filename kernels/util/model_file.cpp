// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/model_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "files/hash.h"
#include "files/regular_file.h"
#include "files/utf8.h"

namespace tandem {
namespace {

constexpr std::size_t kChecksumBytes = 8;

static_assert(std::endian::native == std::endian::little,
              "values are copied between memory and file as they are");

std::string read_file(const std::string& path) {
  RegularFile file = read_regular_file(path, kMostModelBytes);
  if (!file.problem.empty()) fail_model(path, file.problem);
  if (file.bytes.empty()) fail_model(path, "is empty; copy it again");
  return std::move(file.bytes);
}

}  // namespace

void fail_model(const std::string& path, const std::string& what) {
  throw std::runtime_error("model file '" + path + "' " + what);
}

ModelWriter::ModelWriter(const ModelFormat& format)
    : bytes_(format.magic.begin(), format.magic.end()) {
  value(format.version);
}

void ModelWriter::bytes(const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  bytes_.insert(bytes_.end(), from, from + size);
}

void ModelWriter::save(const std::string& path) {
  value(hash_of({bytes_.data(), bytes_.size()}));
  if (bytes_.size() > kMostModelBytes)
    fail_model(path, "was not written: it would be longer than " + std::to_string(kMostModelBytes) +
                         " bytes; train it with fewer words or classes");
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
  file.close();
  if (!file) fail_model(path, std::string("cannot be written: ") + std::strerror(errno));
}

ModelReader::ModelReader(const std::string& path, const ModelFormat& format,
                         std::size_t header_bytes)
    : path_(path), file_(read_file(path)) {
  const std::size_t magic = format.magic.size();
  if (std::memcmp(file_.data(), format.magic.data(), std::min(file_.size(), magic)) != 0)
    fail(std::string("is not ") + format.what);
  at_ = magic;
  body_ = magic + sizeof format.version + header_bytes;
  if (file_.size() < body_ + kChecksumBytes) fail("is cut short; copy it again");
  const auto version = value<uint32_t>();
  if (version != format.version)
    fail("has version " + std::to_string(version) + ", this program reads version " +
         std::to_string(format.version) + "; train it again or update");
}

void ModelReader::check_size(std::size_t bytes) const {
  const std::size_t size = body_ + bytes + kChecksumBytes;
  if (file_.size() < size)
    fail("is cut short: " + std::to_string(file_.size()) + " of " + std::to_string(size) +
         " bytes; copy it again");
  if (file_.size() > size) fail("has bytes after its end: it is damaged, copy it again");
  uint64_t checksum;
  std::memcpy(&checksum, file_.data() + size - kChecksumBytes, kChecksumBytes);
  if (checksum != hash_of({file_.data(), size - kChecksumBytes}))
    fail("is damaged: its checksum is wrong; copy it again");
}

void ModelReader::take(void* to, std::size_t size) {
  std::memcpy(to, file_.data() + at_, size);
  at_ += size;
}

std::vector<float> ModelReader::floats(std::size_t count) {
  std::vector<float> values(count);
  take(values.data(), 4 * count);
  for (const float v : values)
    if (!std::isfinite(v)) fail("holds values that are not finite numbers; train it again");
  return values;
}

std::string ModelReader::text(std::size_t size, const char* what) {
  std::string s(size, '\0');
  take(s.data(), size);
  if (!is_utf8(s)) fail(std::string("has ") + what + " that is not UTF-8; train it again");
  return s;
}

}  // namespace tandem
