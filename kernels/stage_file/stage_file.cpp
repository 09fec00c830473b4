// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/stage_file.h"

#include <algorithm>
#include <span>

#include "files/regular_file.h"
#include "kernels/util/size_product.h"

namespace tandem {

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kInt32:
      return "int32";
    default:
      return "float32";
  }
}

const char* c_name_of(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return "uchar";
    case ElementType::kInt32:
      return "int";
    default:
      return "float";
  }
}

std::size_t bytes_of(ElementType type) { return type == ElementType::kUint8 ? 1 : 4; }

int StageShape::columns(int frame_width) const {
  return is_plane() ? (frame_width + divisor - 1) / divisor : constants.back();
}

int StageShape::rows(int frame_height) const {
  if (is_plane()) return (frame_height + divisor - 1) / divisor;
  return static_cast<int>(product_of_sizes(std::span(constants).first(constants.size() - 1)));
}

std::size_t elements_of(const StageShape& shape) { return product_of_sizes(shape.constants); }

const StageCode& StagePart::body_on(StageSide side) const {
  const auto& own = side == StageSide::kCpu ? cpu_body : device_body;
  return own ? *own : body;
}

bool StageFile::keeps() const {
  return std::ranges::any_of(parts, [](const StagePart& part) {
    return std::ranges::any_of(part.writes, &StageWrite::is_kept);
  });
}

bool StageFile::writes_luma() const {
  return std::ranges::any_of(parts, [](const StagePart& part) {
    return std::ranges::any_of(part.writes, &StageWrite::is_luma);
  });
}

StageFile load_stage_file(const std::string& path) {
  const RegularFile file = read_regular_file(path, kMostStageFileBytes);
  if (!file.problem.empty()) throw StageFileError("'" + path + "' " + file.problem);
  return parse_stage_file(file.bytes, path);
}

}  // namespace tandem
