// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/stage_file/parse/check_file.h"
#include "kernels/stage_file/parse/directive.h"
#include "kernels/stage_file/stage_file.h"

namespace tandem {
namespace {

constexpr int kMostHalo = 64, kMostDivisor = 64, kMostDimension = 1 << 20, kMostPasses = 10000;
constexpr std::size_t kMostDimensions = 4;

/// Reads a file line by line. Code belongs to what the directive above it began.
class Parser {
 public:
  explicit Parser(const std::string& path) { file_.path = path; }

  void line(int number, std::string_view text) {
    number_ = number;
    if (auto directive = Directive::read(file_.path, number, text)) {
      read(*directive);
      if (code_ == &file_.common) add("");  // what follows keeps its line
    } else {
      add(text);
    }
  }

  StageFile end() {
    if (file_.name.empty()) fail("a stage file begins with //!STAGE and a name");
    if (open_) fail("no MAP, REDUCE or LOOP follows the last READ or WRITE");
    check_stage_file(file_);
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw StageFileError(at_line(file_.path, number_, 1, problem));
  }

  void add(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    const bool empty = begin == text.npos || text.substr(begin).starts_with("//");
    if (!code_) {
      if (!empty) fail("this code belongs to no part: it has to follow MAP, REDUCE or LOOP");
      return;
    }
    if (file_.name.empty() && !empty) fail("a stage file begins with //!STAGE and a name");
    if (code_->line == 0) code_->line = number_;
    code_->text.append(text).push_back('\n');
  }

  void read(Directive& d) {
    const std::string& name = d.name();
    if (file_.name.empty() != (name == "STAGE"))
      d.fail(file_.name.empty() ? "a stage file begins with //!STAGE and a name"
                                : "the file has a STAGE already");
    if (name == "STAGE") {
      file_.name = d.identifier(d.take("a name"));
      file_.summary = d.take_rest();
    } else if (name == "PARAM") {
      read_parameter(d);
    } else if (name == "CONTRACT") {
      file_.contract = true;
    } else if (name == "ONLY") {
      file_.only = read_side(d, d.take("cpu or device"));
    } else if (name == "READ") {
      part().reads.push_back(read_read(d));
    } else if (name == "WRITE") {
      part().writes.push_back(read_write(d));
    } else if (name == "MAP") {
      begin_body(d, StagePart::Skeleton::kMap);
    } else if (name == "REDUCE") {
      begin_body(d, StagePart::Skeleton::kReduce);
    } else if (name == "LOOP") {
      part().passes = d.whole(d.take("a number of passes"), 1, kMostPasses);
      part().until_settled = d.take_flag("settle");
      begin_body(d, StagePart::Skeleton::kLoop);
    } else if (name == "CPU") {
      code_ = &last(d).cpu_body.emplace();
    } else if (name == "DEVICE") {
      code_ = &last(d).device_body.emplace();
    } else if (name == "COMBINE") {
      if (last(d).skeleton != StagePart::Skeleton::kReduce) d.fail("COMBINE has to follow REDUCE");
      code_ = &last(d).combine;
    } else if (name == "REGIONS") {
      StageRegions regions{d.identifier(d.take("a tensor")), file_.name, d.line()};
      if (auto label = d.take_value("label")) regions.label = label->text;
      file_.regions.push_back(regions);
    } else {
      d.fail("unknown directive '" + name + "'");
    }
    d.end();
  }

  // The part that the directives at hand describe; its code comes later.
  StagePart& part() {
    if (!open_) {
      file_.parts.emplace_back().line = number_;
      open_ = true;
      code_ = nullptr;
    }
    return file_.parts.back();
  }

  StagePart& last(const Directive& d) {
    if (open_ || file_.parts.empty()) d.fail(d.name() + " has to follow MAP, REDUCE or LOOP");
    return file_.parts.back();
  }

  void begin_body(const Directive& d, StagePart::Skeleton skeleton) {
    if (!open_) d.fail(d.name() + " needs a WRITE before it");
    part().skeleton = skeleton;
    part().line = d.line();
    code_ = &part().body;
    open_ = false;
  }

  static StageSide read_side(const Directive& d, const DirectiveWord& word) {
    if (word.text == "cpu") return StageSide::kCpu;
    if (word.text == "device") return StageSide::kDevice;
    d.fail(word, "'" + word.text + "' is neither cpu nor device");
  }

  static ElementType read_type(const Directive& d, const DirectiveWord& word) {
    for (ElementType type : {ElementType::kUint8, ElementType::kInt32, ElementType::kFloat32})
      if (word.text == name_of(type)) return type;
    d.fail(word, "unknown type '" + word.text + "': use uint8, int32 or float32");
  }

  static StageShape read_shape(Directive& d, int divisor = 1) {
    StageShape shape{.divisor = divisor};
    if (auto size = d.take_value("size")) {
      if (!size->text.starts_with("1/"))
        d.fail(*size, "a size is a fraction of the frame, as in 1/2");
      shape.divisor = d.whole({size->text.substr(2), size->column + 2}, 1, kMostDivisor);
    }
    if (auto given = d.take_value("shape")) {
      for (std::size_t at = 0; at <= given->text.size();) {
        const std::size_t end = std::min(given->text.find(',', at), given->text.size());
        shape.constants.push_back(
            d.whole({given->text.substr(at, end - at), given->column + static_cast<int>(at)}, 1,
                    kMostDimension));
        at = end + 1;
      }
      if (shape.constants.size() > kMostDimensions)
        d.fail(*given, "too many dimensions: 4 at most");
      if (elements_of(shape) > kMostTensorElements)
        d.fail(*given, "a tensor can have at most " + std::to_string(kMostTensorElements) +
                           " elements: reduce one of its sizes");
      if (shape.divisor != 1) d.fail(*given, "size and shape exclude each other");
    }
    return shape;
  }

  static int read_halo(Directive& d) {
    const auto halo = d.take_value("halo");
    return halo ? d.whole(*halo, 0, kMostHalo) : 0;
  }

  // The write of an earlier part that has this name.
  const StageWrite* made(const std::string& name) const {
    for (const StagePart& part : file_.parts)
      for (const StageWrite& write : part.writes)
        if (write.name == name && !write.is_luma()) return &write;
    return nullptr;
  }

  StageRead read_read(Directive& d) const {
    StageRead read;
    read.line = d.line();
    read.name = d.identifier(d.take("luma or the name of a tensor"));
    const auto type = d.take_if_any();
    read.halo = read_halo(d);
    if (read.is_pixels()) {
      if (type) d.fail(*type, read.name + " is always uint8: remove the type");
      // Chroma has half of the frame's rows and columns, mostly.
      if (read.is_chroma()) read.shape = read_shape(d, 2);
      return read;
    }
    read.shape = read_shape(d);
    if (const StageWrite* write = made(read.name)) {
      if (type) d.fail(*type, "the WRITE of '" + read.name + "' has its type: remove it here");
      read.type = write->type;
      read.shape = write->shape;
      return read;
    }
    if (!type) d.fail("READ of a tensor needs its type: uint8, int32 or float32");
    read.type = read_type(d, *type);
    const auto from = d.take_value("from");
    read.tensor = from ? from->text : read.name;
    return read;
  }

  static StageWrite read_write(Directive& d) {
    StageWrite write;
    write.line = d.line();
    write.name = d.identifier(d.take("luma or the name of a tensor"));
    if (write.name == StageRead::kCb || write.name == StageRead::kCr)
      d.fail("'" + write.name + "' can be read but not written");
    const auto type = d.take_if_any();
    if (auto tolerance = d.take_value("tolerance")) write.tolerance = d.number(*tolerance);
    if (write.is_luma()) {
      if (type) d.fail(*type, "luma is always uint8: remove the type");
      return write;
    }
    if (!type) d.fail("WRITE of a tensor needs its type: uint8, int32 or float32");
    write.type = read_type(d, *type);
    write.is_private = d.take_flag("private");
    write.is_kept = d.take_flag("kept");
    write.halo = read_halo(d);
    write.shape = read_shape(d);
    const auto as = d.take_value("as");
    write.tensor = as ? as->text : write.name;
    return write;
  }

  void read_parameter(Directive& d) {
    StageParameter p;
    p.line = d.line();
    p.name = d.identifier(d.take("a name"));
    const DirectiveWord type = d.take("a type: int, float or bool");
    const DirectiveWord initial = d.take("a default");
    if (type.text == "bool") {
      p.type = StageParameter::Type::kBool;
      if (initial.text != "true" && initial.text != "false")
        d.fail(initial, "'" + initial.text + "' is neither true nor false");
      p.initial = initial.text == "true" ? 1 : 0;
    } else {
      if (type.text != "int" && type.text != "float")
        d.fail(type, "unknown type '" + type.text + "': use int, float or bool");
      p.type = type.text == "int" ? StageParameter::Type::kInt : StageParameter::Type::kFloat;
      p.initial = d.number(initial);
      const DirectiveWord range = d.take("a range, as in 0..10");
      const std::size_t dots = range.text.find("..");
      if (dots == std::string::npos) d.fail(range, "a range has the form 0..10");
      p.least = d.number({range.text.substr(0, dots), range.column});
      p.most = d.number({range.text.substr(dots + 2), range.column + static_cast<int>(dots) + 2});
      if (p.initial < p.least || p.initial > p.most)
        d.fail(initial, "the default " + initial.text + " is not within " + range.text);
      if (p.type == StageParameter::Type::kInt) {
        constexpr int kMost = 1 << 30;
        d.whole(initial, -kMost, kMost);
        d.whole({range.text.substr(0, dots), range.column}, -kMost, kMost);
        d.whole({range.text.substr(dots + 2), range.column}, -kMost, kMost);
      }
    }
    p.blurb = d.take_rest();
    file_.parameters.push_back(p);
  }

  StageFile file_;
  StageCode* code_ = &file_.common;  // where code goes; null: nowhere
  bool open_ = false;                // the last part waits for its code
  int number_ = 1;
};

}  // namespace

StageFile parse_stage_file(const std::string& text, const std::string& path) {
  Parser parser(path);
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    parser.line(++number, line);
    at = end + 1;
  }
  return parser.end();
}

}  // namespace tandem
