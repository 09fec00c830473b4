// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/parse/check_file.h"

#include <algorithm>
#include <map>

#include "kernels/stage_file/parse/directive.h"
#include "kernels/stage_file/parse/names.h"

namespace tandem {
namespace {

constexpr std::size_t kMostParameters = 32, kMostParts = 16;
constexpr std::size_t kMostReduced = 1 << 16;  // elements of a partial result

using Skeleton = StagePart::Skeleton;

class Check {
 public:
  explicit Check(const StageFile& file) : file_(file) {}

  void all() {
    if (file_.parts.empty()) fail(1, "the file has no MAP, REDUCE or LOOP");
    if (file_.parts.size() > kMostParts)
      fail(file_.parts[kMostParts].line, "the file has more than 16 parts");
    if (file_.parameters.size() > kMostParameters)
      fail(file_.parameters[kMostParameters].line, "the file has more than 32 parameters");
    for (const StageParameter& p : file_.parameters) declare(p.name, p.line);
    for (const StagePart& part : file_.parts)
      for (const StageWrite& write : part.writes) {
        check_write(write);
        if (!write.shape.is_plane() && (write.is_kept || part.skeleton == Skeleton::kLoop))
          declare(write.name + "_before", write.line);
      }
    check_code(file_.common, false);
    for (const StagePart& part : file_.parts) check_part(part);
    check_regions();
  }

 private:
  [[noreturn]] void fail(int line, const std::string& problem) const {
    throw StageFileError(at_line(file_.path, line, 1, problem));
  }

  void declare(const std::string& name, int line) {
    const auto [found, is_new] = names_.emplace(name, line);
    if (!is_new)
      fail(line,
           "the name '" + name + "' is already used in line " + std::to_string(found->second));
  }

  void check_write(const StageWrite& write) {
    if (write.is_luma()) {
      declare("luma, written", write.line);
      return;
    }
    declare(write.name, write.line);
    if (!write.is_private) {
      const auto [found, is_new] = tensors_.emplace(write.tensor, write.line);
      if (!is_new) fail(write.line, "two WRITEs write the tensor '" + write.tensor + "'");
    }
  }

  void check_read(const StageRead& read, std::map<std::string, int>& of_part) {
    if (!of_part.emplace(read.name, read.line).second)
      fail(read.line, "the part reads '" + read.name + "' twice");
    if (!read.is_pixels() && read.tensor.empty()) return;  // made by the file
    if (read.is_chroma() && (!read.shape.is_plane() || read.shape.divisor > 2))
      fail(read.line, "'" + read.name + "' needs size=1/2 or size=1/1");
    if (names_.contains(read.name))
      fail(read.line, "the name '" + read.name + "' is already used in line " +
                          std::to_string(names_.at(read.name)));
    const auto [found, is_new] = inputs_.emplace(read.name, &read);
    const StageRead& first = *found->second;
    if (first.tensor != read.tensor || first.type != read.type || first.shape != read.shape)
      fail(read.line,
           "'" + read.name + "' names another tensor in line " + std::to_string(first.line));
  }

  void check_part(const StagePart& part) {
    if (part.writes.empty()) fail(part.line, "the part has no WRITE");
    std::map<std::string, int> reads;
    for (const StageRead& read : part.reads) check_read(read, reads);
    for (const StageWrite& write : part.writes) {
      if (reads.contains(write.name) && !write.is_luma())
        fail(write.line, "the part reads and writes '" + write.name + "': remove the READ");
      if (write.is_kept && part.skeleton != Skeleton::kMap)
        fail(write.line, "only MAP can write a kept tensor");
      if (part.skeleton == Skeleton::kReduce) {
        check_reduced(write);
      } else if (write.shape != part.writes.front().shape) {
        fail(write.line, "the part writes tensors of different sizes: use one part per size");
      }
      for (StageSide side : {StageSide::kCpu, StageSide::kDevice}) check_writes(part, write, side);
    }
    check_code(part.body, true);
    check_code(part.combine, true);
    for (const auto& own : {part.cpu_body, part.device_body})
      if (own) check_code(*own, true);
    check_planes(part, part.body);
    for (const auto& own : {part.cpu_body, part.device_body})
      if (own) check_planes(part, *own);
  }

  void check_reduced(const StageWrite& write) const {
    if (write.is_luma() || write.shape.is_plane())
      fail(write.line, "a tensor that REDUCE writes needs a shape, as in shape=256");
    if (elements_of(write.shape) > kMostReduced)
      fail(write.line, "REDUCE can write at most 65536 elements");
  }

  void check_writes(const StagePart& part, const StageWrite& write, StageSide side) const {
    const StageCode& body = part.body_on(side);
    if (file_.only && *file_.only != side) return;
    if (!mentions(body.text, write.name))
      fail(write.line, "the code of the part never writes '" + write.name + "'");
  }

  static int line_of(const StageCode& code, const CodeWord& word) {
    return code.line +
           static_cast<int>(std::count(
               code.text.begin(), code.text.begin() + static_cast<std::ptrdiff_t>(word.at), '\n'));
  }

  void check_code(const StageCode& code, bool is_body) const {
    std::vector<CodeWord> open;
    for (const CodeWord& word : words_of(code.text)) {
      if (word.text == "{") open.push_back(word);
      if (word.text == "}") {
        if (open.empty()) fail(line_of(code, word), "'}' without '{'");
        open.pop_back();
      }
      if (is_body && (word.text == "return" || word.text == "goto"))
        fail(line_of(code, word),
             "'" + std::string(word.text) + "' is not allowed in the body of a part");
    }
    if (!open.empty()) fail(line_of(code, open.back()), "'{' without '}'");
    if (const std::size_t at = code.text.find("#include"); at != std::string::npos)
      fail(line_of(code, {{}, at}), "#include is not allowed: a stage is one file");
  }

  // name(dx, dy) where there is nothing that it could read: a compiler calls it a function.
  void check_planes(const StagePart& part, const StageCode& code) const {
    const std::vector<CodeWord> words = words_of(code.text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i + 1].text != "(" || mentions(file_.common.text, words[i].text)) continue;
      const std::string name(words[i].text);
      if (const std::string why = why_unread(part, name); !why.empty())
        fail(line_of(code, words[i]), why);
    }
  }

  std::string why_unread(const StagePart& part, const std::string& name) const {
    if (std::ranges::find(part.reads, name, &StageRead::name) != part.reads.end()) return {};
    const auto write = std::ranges::find(part.writes, name, &StageWrite::name);
    if (write != part.writes.end() && !write->is_luma())
      return write->is_kept || part.skeleton == Skeleton::kLoop
                 ? ""
                 : "'" + name + "' is written by this part: only a later part can read it";
    const bool is_pixels =
        name == StageRead::kLuma || name == StageRead::kCb || name == StageRead::kCr;
    const bool is_made = std::ranges::any_of(file_.parts, [&](const StagePart& other) {
      return std::ranges::find(other.writes, name, &StageWrite::name) != other.writes.end();
    });
    return is_pixels || is_made ? "the part has no 'READ " + name + "'" : "";
  }

  void check_regions() const {
    for (const StageRegions& regions : file_.regions) {
      const StageWrite* boxes = nullptr;
      for (const StagePart& part : file_.parts)
        for (const StageWrite& write : part.writes)
          if (write.name == regions.tensor) boxes = &write;
      if (!boxes) fail(regions.line, "no WRITE has the tensor '" + regions.tensor + "'");
      if (boxes->is_private) fail(regions.line, "the tensor '" + regions.tensor + "' is private");
      const StageShape& shape = boxes->shape;
      if (shape.is_plane() || shape.constants.back() < 4 || shape.constants.back() > 5 ||
          boxes->type == ElementType::kUint8)
        fail(regions.line,
             "a tensor of boxes needs int32 or float32 and a shape such as 16,5: x, y, width, "
             "height "
             "and confidence");
    }
  }

  const StageFile& file_;
  std::map<std::string, int> names_, tensors_;
  std::map<std::string, const StageRead*> inputs_;
};

}  // namespace

void check_stage_file(const StageFile& file) { Check(file).all(); }

}  // namespace tandem
