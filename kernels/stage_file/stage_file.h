// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// A stage of the user's in one file: directives, which say what it reads and writes, and code that
/// C99 and OpenCL C share. docs/stage-files.md is the reference of the format.
namespace tandem {

/// What is wrong with a stage file: "sobel.cl:3:9: there is no type 'byte'".
class StageFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class ElementType { kUint8, kInt32, kFloat32 };
const char* name_of(ElementType type);    ///< in directives: "uint8"
const char* c_name_of(ElementType type);  ///< in code: "uchar"
std::size_t bytes_of(ElementType type);

/// The size of a tensor.
struct StageShape {
  int divisor = 1;             ///< [rows, columns] of the frame divided by this, rounded up
  std::vector<int> constants;  ///< instead, where it is not empty; outermost first
  bool operator==(const StageShape&) const = default;

  bool is_plane() const { return constants.empty(); }
  /// Of the last dimension, and the product of the others.
  int columns(int frame_width) const;
  int rows(int frame_height) const;
};

/// Elements of a tensor with a shape; SIZE_MAX: more than that. Of a plane, 1.
std::size_t elements_of(const StageShape& shape);
/// A tensor has so many at most: 1 GiB of float32. Their indices, and those of their bytes, are
/// ints in the code of stages.
inline constexpr std::size_t kMostTensorElements = std::size_t{1} << 28;

struct StageParameter {
  enum class Type { kInt, kFloat, kBool };
  std::string name;
  Type type = Type::kInt;
  double initial = 0, least = 0, most = 1;
  std::string blurb;
  int line = 0;
};

/// A tensor that a part reads, or a plane of the frame.
struct StageRead {
  std::string name;    ///< in the code
  std::string tensor;  ///< on the frame
  ElementType type = ElementType::kUint8;
  StageShape shape;
  int halo = 0;  ///< how far from its own element an element is read
  int line = 0;

  bool is_luma() const { return name == kLuma; }
  bool is_chroma() const { return name == kCb || name == kCr; }
  bool is_pixels() const { return is_luma() || is_chroma(); }
  static constexpr std::string_view kLuma = "luma", kCb = "cb", kCr = "cr";
};

/// A tensor that a part writes, or luma.
struct StageWrite {
  std::string name;    ///< in the code
  std::string tensor;  ///< on the frame
  ElementType type = ElementType::kUint8;
  StageShape shape;
  bool is_private = false;  ///< read by later parts of the file alone
  bool is_kept = false;     ///< the part reads what it wrote for the frame before
  int halo = 0;             ///< of these reads, and of those of the pass before
  double tolerance = 0;     ///< largest difference between the sides, relative above 1
  int line = 0;

  bool is_luma() const { return name == StageRead::kLuma; }
};

/// Text of the file that compilers read.
struct StageCode {
  std::string text;
  int line = 0;  ///< of its first line
};

enum class StageSide { kCpu, kDevice };

/// What runs over all elements of its outputs before the next part begins.
struct StagePart {
  enum class Skeleton { kMap, kReduce, kLoop };
  Skeleton skeleton = Skeleton::kMap;
  std::vector<StageRead> reads;
  std::vector<StageWrite> writes;
  StageCode body;
  std::optional<StageCode> cpu_body, device_body;  ///< instead of `body` on that side
  StageCode combine;                               ///< of kReduce
  int passes = 1;                                  ///< of kLoop: so many, or at most
  bool until_settled = false;                      ///< of kLoop: until no element sets `again`
  int line = 0;

  const StageCode& body_on(StageSide side) const;
};

/// A tensor of boxes becomes regions of interest.
struct StageRegions {
  std::string tensor;  ///< a write of the file: rows of x, y, width, height, confidence
  std::string label;
  int line = 0;
};

struct StageFile {
  std::string path;     ///< as messages name it
  std::string name;     ///< of the stage
  std::string summary;  ///< may be empty
  std::vector<StageParameter> parameters;
  StageCode common;  ///< outside of functions: constants and functions of the parts
  std::vector<StagePart> parts;
  std::vector<StageRegions> regions;
  bool contract = false;  ///< products and sums may be fused, so that sides may differ
  std::optional<StageSide> only;

  bool keeps() const;        ///< has a tensor that is kept from frame to frame
  bool writes_luma() const;  ///< changes the frames' pixels
};

/// Longer files are refused.
inline constexpr std::size_t kMostStageFileBytes = 256 << 10;

/// Throws StageFileError.
StageFile parse_stage_file(const std::string& text, const std::string& path);
/// Reads the file, which has to be a regular one.
StageFile load_stage_file(const std::string& path);
/// The text of which parse_stage_file() makes this file again, except for the lines on which things
/// are. Does not look for mistakes: texts have one line, code ends with one, and the rest is as
/// parse_stage_file() accepts it.
std::string write_stage_file(const StageFile& file);

}  // namespace tandem
