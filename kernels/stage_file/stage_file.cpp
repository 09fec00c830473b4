// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/stage_file.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "files/regular_file.h"
#include "kernels/util/size_product.h"

namespace tandem {
namespace {

/// A line of the file: //!NAME word word.
class Line {
 public:
  explicit Line(const char* name) : text_(std::string("//!") + name) {}
  Line& word(const std::string& word) {
    if (!word.empty()) text_ += ' ' + word;
    return *this;
  }
  Line& value(const char* key, const std::string& value) {
    return word(std::string(key) + '=' + value);
  }
  operator std::string() const { return text_ + '\n'; }

 private:
  std::string text_;
};

// As directives read them again: the same number, whole ones without an exponent.
std::string text_of(double number, bool whole) {
  if (whole) return std::to_string(static_cast<long>(number));
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string line_of(const StageParameter& p) {
  Line line("PARAM");
  line.word(p.name);
  if (p.type == StageParameter::Type::kBool) {
    line.word("bool").word(p.initial != 0 ? "true" : "false");
  } else {
    const bool whole = p.type == StageParameter::Type::kInt;
    line.word(whole ? "int" : "float")
        .word(text_of(p.initial, whole))
        .word(text_of(p.least, whole) + ".." + text_of(p.most, whole));
  }
  return line.word(p.blurb);
}

void add_shape(const StageShape& shape, Line& line) {
  if (shape.divisor != 1) line.value("size", "1/" + std::to_string(shape.divisor));
  if (shape.is_plane()) return;
  std::string text;
  for (const int length : shape.constants) {
    if (!text.empty()) text += ',';
    text += std::to_string(length);
  }
  line.value("shape", text);
}

void add_halo(int halo, Line& line) {
  if (halo > 0) line.value("halo", std::to_string(halo));
}

std::string line_of(const StageRead& read) {
  Line line("READ");
  line.word(read.name);
  if (read.is_chroma() && read.shape.divisor != 2)
    line.value("size", "1/" + std::to_string(read.shape.divisor));
  // The WRITE says the rest of what the file makes itself.
  if (!read.is_pixels() && !read.tensor.empty()) {
    line.word(name_of(read.type));
    add_shape(read.shape, line);
    if (read.tensor != read.name) line.value("from", read.tensor);
  }
  add_halo(read.halo, line);
  return line;
}

std::string line_of(const StageWrite& write) {
  Line line("WRITE");
  line.word(write.name);
  if (!write.is_luma()) {
    line.word(name_of(write.type));
    add_shape(write.shape, line);
    if (write.tensor != write.name) line.value("as", write.tensor);
    if (write.is_private) line.word("private");
    if (write.is_kept) line.word("kept");
    add_halo(write.halo, line);
  }
  if (write.tolerance != 0) line.value("tolerance", text_of(write.tolerance, false));
  return line;
}

std::string begin_of(const StagePart& part) {
  switch (part.skeleton) {
    case StagePart::Skeleton::kMap:
      return Line("MAP");
    case StagePart::Skeleton::kReduce:
      return Line("REDUCE");
    default:
      return Line("LOOP")
          .word(std::to_string(part.passes))
          .word(part.until_settled ? "settle" : "");
  }
}

std::string text_of(const StagePart& part) {
  std::string text;
  for (const StageRead& read : part.reads) text += line_of(read);
  for (const StageWrite& write : part.writes) text += line_of(write);
  text += begin_of(part) + part.body.text;
  if (part.cpu_body) text += std::string(Line("CPU")) + part.cpu_body->text;
  if (part.device_body) text += std::string(Line("DEVICE")) + part.device_body->text;
  if (!part.combine.text.empty()) text += std::string(Line("COMBINE")) + part.combine.text;
  return text;
}

// The parser has an empty line where a directive was.
std::string without_empty_ends(const std::string& code) {
  const std::size_t begin = code.find_first_not_of('\n');
  if (begin == code.npos) return {};
  return code.substr(begin, code.find_last_not_of('\n') - begin + 1) + '\n';
}

}  // namespace

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

std::string write_stage_file(const StageFile& file) {
  std::string text = Line("STAGE").word(file.name).word(file.summary);
  for (const StageParameter& p : file.parameters) text += line_of(p);
  if (file.only) text += Line("ONLY").word(*file.only == StageSide::kCpu ? "cpu" : "device");
  if (file.contract) text += Line("CONTRACT");
  text += without_empty_ends(file.common.text);
  for (const StagePart& part : file.parts) text += text_of(part);
  for (const StageRegions& regions : file.regions) {
    Line line("REGIONS");
    line.word(regions.tensor);
    if (regions.label != file.name) line.value("label", regions.label);
    text += line;
  }
  return text;
}

}  // namespace tandem
