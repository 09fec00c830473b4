// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/input/truncated_file.h"

#include <glib.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <string_view>

#include "pipelines/formatted.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {
namespace {

// The outermost parts of these files lie one behind the other, each with its size in front.
struct OuterPart {
  std::string name;
  std::optional<uint64_t> end;  // none: left open
};

class Bytes {
 public:
  explicit Bytes(std::istream& file) : file_(file) {
    file_.seekg(0, std::ios::end);
    size_ = file_ ? static_cast<uint64_t>(file_.tellg()) : 0;
  }
  uint64_t size() const { return size_; }
  // Empty behind the end.
  std::string at(uint64_t position, std::size_t count) const {
    if (position > size_ || size_ - position < count) return {};
    std::string bytes(count, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(position));
    file_.read(bytes.data(), static_cast<std::streamsize>(count));
    return file_ ? bytes : std::string();
  }

 private:
  std::istream& file_;
  uint64_t size_ = 0;
};

uint64_t number(std::string_view bytes) {  // the highest byte first
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

std::optional<OuterPart> riff_part(const Bytes& file, uint64_t at) {
  const std::string head = file.at(at, 8);
  if (!head.starts_with("RIFF")) return std::nullopt;
  const uint64_t size = number(std::string(head.rbegin(), head.rbegin() + 4));
  if (size == 0) return OuterPart{"RIFF", std::nullopt};  // its writer did not come to an end
  return OuterPart{"RIFF", at + 8 + size};
}

std::optional<OuterPart> mp4_part(const Bytes& file, uint64_t at) {
  const std::string head = file.at(at, 8);
  if (head.empty()) return std::nullopt;
  uint64_t size = number(std::string_view(head).substr(0, 4));
  const std::string name = head.substr(4);
  constexpr std::string_view kFirst[] = {"ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"};
  if (at == 0 && std::ranges::find(kFirst, name) == std::end(kFirst)) return std::nullopt;
  if (size == 1) {
    const std::string large = file.at(at + 8, 8);
    if (large.empty()) return std::nullopt;
    size = number(large);
  } else if (size == 0) {
    return OuterPart{name, std::nullopt};  // it goes on to the end of the file
  }
  return size < 8 ? std::nullopt : std::optional(OuterPart{name, at + size});
}

// The size of an EBML element has as many bytes as its first one has zeros in front, and one.
std::optional<OuterPart> matroska_part(const Bytes& file, uint64_t at) {
  constexpr uint32_t kHeader = 0x1A45DFA3, kSegment = 0x18538067;
  const std::string head = file.at(at, 5);
  if (head.empty()) return std::nullopt;
  const uint64_t name = number(std::string_view(head).substr(0, 4));
  const auto first = static_cast<unsigned char>(head[4]);
  if (name != (at == 0 ? kHeader : kSegment) || first == 0) return std::nullopt;
  const int length = std::countl_zero(first) + 1;
  const uint64_t all_ones = (uint64_t{1} << (7 * length)) - 1;
  const std::string bytes = file.at(at + 4, static_cast<std::size_t>(length));
  if (bytes.empty()) return std::nullopt;
  const uint64_t size = number(bytes) & all_ones;
  if (size == all_ones) return OuterPart{"Segment", std::nullopt};
  return OuterPart{"Segment", at + 4 + static_cast<uint64_t>(length) + size};
}

// Bytes that an AVI, MP4, MOV, Matroska or WebM file states and does not hold. 0 for a complete
// file, for one that leaves its size open, and for any other kind.
uint64_t missing_bytes(const Bytes& file) {
  for (const auto part_at : {riff_part, mp4_part, matroska_part}) {
    uint64_t at = 0;
    while (const std::optional<OuterPart> part = part_at(file, at)) {
      if (!part->end || *part->end <= at) return 0;
      if (*part->end > file.size()) return *part->end - file.size();
      at = *part->end + (part->name == "RIFF" ? *part->end % 2 : 0);
    }
    if (at > 0) return 0;
  }
  return 0;
}

}  // namespace

std::string truncation_text(const std::string& uri) {
  const GlibString path(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  std::error_code error;
  if (!path || !std::filesystem::is_regular_file(path.get(), error)) return {};
  std::ifstream stream(path.get(), std::ios::binary);
  const Bytes file(stream);
  const uint64_t missing = missing_bytes(file);
  if (missing == 0) return {};
  return formatted(
      "%.1f%% of it is missing (%" G_GUINT64_FORMAT " bytes)",
      100.0 * static_cast<double>(missing) / static_cast<double>(missing + file.size()), missing);
}

}  // namespace tandem
