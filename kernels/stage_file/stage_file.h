// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// A user's stage in one file: directives that declare its inputs and outputs, and code in the
/// common subset of C99 and OpenCL C. docs/stage-files.md is the reference of the format.
namespace tandem {

/// An error in a stage file: "sobel.cl:3:9: unknown type 'byte'".
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
  std::vector<int> constants;  ///< replace the frame's size if not empty; outermost first
  bool operator==(const StageShape&) const = default;

  bool is_plane() const { return constants.empty(); }
  /// The last dimension, and the product of the others.
  int columns(int frame_width) const;
  int rows(int frame_height) const;
};

/// Elements of a tensor with a shape; SIZE_MAX: too many to count. For a plane, 1.
std::size_t elements_of(const StageShape& shape);
/// Most elements of a tensor, 1 GiB of float32. Stages' code indexes elements and bytes with ints.
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
  int halo = 0;  ///< largest distance at which an element reads others
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
  bool is_private = false;  ///< only later parts of the file read it
  bool is_kept = false;     ///< the part reads its own output for the previous frame
  int halo = 0;             ///< of these reads, and of reads of the previous pass
  double tolerance = 0;     ///< largest difference between the sides, relative above 1
  int line = 0;

  bool is_luma() const { return name == StageRead::kLuma; }
};

/// Code in the file.
struct StageCode {
  std::string text;
  int line = 0;  ///< of its first line
};

enum class StageSide { kCpu, kDevice };

/// A part of the stage. It runs over all elements of its outputs before the next part begins.
struct StagePart {
  enum class Skeleton { kMap, kReduce, kLoop };
  Skeleton skeleton = Skeleton::kMap;
  std::vector<StageRead> reads;
  std::vector<StageWrite> writes;
  StageCode body;
  std::optional<StageCode> cpu_body, device_body;  ///< replaces `body` on that side
  StageCode combine;                               ///< of kReduce
  int passes = 1;                                  ///< of kLoop: their number, or most
  bool until_settled = false;                      ///< of kLoop: until no element sets `again`
  int line = 0;

  const StageCode& body_on(StageSide side) const;
};

/// A tensor of boxes that becomes regions of interest.
struct StageRegions {
  std::string tensor;  ///< a write of the file: rows of x, y, width, height, confidence
  std::string label;
  int line = 0;
};

struct StageFile {
  std::string path;     ///< for messages
  std::string name;     ///< of the stage
  std::string summary;  ///< may be empty
  std::vector<StageParameter> parameters;
  StageCode common;  ///< constants and functions for all parts
  std::vector<StagePart> parts;
  std::vector<StageRegions> regions;
  bool contract = false;  ///< CONTRACT: products and sums may be fused, and sides may differ
  std::optional<StageSide> only;

  bool keeps() const;        ///< has a tensor that is kept from frame to frame
  bool writes_luma() const;  ///< changes the frames' pixels
};

/// Largest accepted file.
inline constexpr std::size_t kMostStageFileBytes = 256 << 10;

/// Throws StageFileError.
StageFile parse_stage_file(const std::string& text, const std::string& path);
/// Reads a regular file. Throws StageFileError.
StageFile load_stage_file(const std::string& path);
/// The text that parse_stage_file() parses into this file, except for line numbers. The file has to
/// be valid: each text has one line, code ends with a line end, and parse_stage_file() accepts the
/// rest.
std::string write_stage_file(const StageFile& file);

}  // namespace tandem
