// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/wide_bytes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernels/stage_file/codegen/code_text.h"
#include "kernels/stage_file/parse/names.h"

namespace tandem {
namespace {

using Kind = StageAccess::Kind;
using Skeleton = StagePart::Skeleton;

constexpr auto kNarrowWords = std::to_array<std::string_view>(
    {"bool", "char", "convert_uchar", "convert_uchar_sat", "convert_uchar_sat_rte", "int16_t",
     "int8_t", "short", "uchar", "uint16_t", "uint8_t", "ushort"});

// The words of directives as well: a macro may use any name.
std::vector<CodeWord> all_words(std::string& code) {
  std::ranges::replace(code, '#', ' ');
  return words_of(code);
}

bool is_narrow(std::string code) {
  return std::ranges::any_of(all_words(code), [](const CodeWord& word) {
    return std::ranges::find(kNarrowWords, word.text) != kNarrowWords.end();
  });
}

// An assignment that is a statement: what it leaves is seen nowhere else.
bool is_only_assigned(std::string code, const std::string& name) {
  const std::vector<CodeWord> words = all_words(code);
  const auto text = [&](std::size_t i) {
    return i < words.size() ? words[i].text : std::string_view();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].text != name || text(i + 1) == "(") continue;  // `name(dx, dy)` is a plane
    constexpr auto kBegins = std::to_array<std::string_view>({";", "{", "}", ")", "else"});
    const bool begins = i == 0 || std::ranges::find(kBegins, text(i - 1)) != kBegins.end();
    if (!begins || text(i + 1) != "=" || text(i + 2) == "=") return false;
  }
  return true;
}

bool allows_ints(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  if (is_narrow(file.common.text)) return false;
  for (const StagePlanPart& part : step.parts) {
    const std::string& body = file.parts[part.part].body_on(StageSide::kCpu).text;
    if (is_narrow(body)) return false;
    for (const StageAccess& read : part.reads) {
      if (read.kind == Kind::kLocal) continue;
      if (is_byte(plan, read.tensor) && (read.kind == Kind::kArray || read.over != 1)) return false;
    }
  }
  for (const StagePlanPart& writer : step.parts) {
    for (const StageStore& write : writer.writes) {
      if (write.type != ElementType::kUint8) continue;
      if (mentions(file.common.text, write.name)) return false;
      for (const StagePlanPart& part : step.parts) {
        const bool is_read = std::ranges::any_of(part.reads, [&](const StageAccess& read) {
          return read.kind == Kind::kLocal && read.name == write.name;
        });
        if (is_read ||
            !is_only_assigned(file.parts[part.part].body_on(StageSide::kCpu).text, write.name))
          return false;
      }
    }
  }
  return true;
}

std::string each_written_byte(const StagePlan& plan, const StageStep& step, const char* text) {
  std::string all;
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (is_byte(plan, write.tensor)) all += Filled(text).put("i", write.tensor);
  return all;
}

// As many numbers are 16 KiB of vectors.
constexpr std::ptrdiff_t kMostKnown = 256;

}  // namespace

bool is_byte(const StagePlan& plan, int tensor) {
  return tensor >= 0 && plan.tensors[tensor].type == ElementType::kUint8;
}

bool widens(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  if (step.skeleton == Skeleton::kReduce || !step.grid.is_plane()) return false;
  bool bytes = false, floats = false;
  for (const int i : step.tensors()) {
    bytes |= is_byte(plan, i);
    floats |= plan.tensors[i].type == ElementType::kFloat32;
  }
  return bytes && floats && allows_ints(file, plan, step);
}

std::string widened_text(const StagePlan& plan, const StageStep& step) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) {
    if (!is_byte(plan, plane.tensor)) continue;
    text += plane_text(
        plan, plane,
        "int t$i_wide_[2 * $halo + 1][(tandem_chunk + tandem_lanes) * $times + 2 * $halo];\n"
        "for (int j_ = 0; j_ <= 2 * $halo; ++j_) {\n"
        "const uchar* const from_ = t$i_rows_[j_] + chunk_ * $times - $halo;\n"
        "for (int i_ = 0; i_ < (chunk_end_ - chunk_ - 1) * $times + 1 + 2 * $halo; ++i_) "
        "t$i_wide_[j_][i_] = $missingfrom_[i_];\n}\n");
  }
  return text + each_written_byte(plan, step, "int t$i_wide_[tandem_chunk + tandem_lanes];\n");
}

bool spreads(const StageStep& step) {
  return std::ranges::any_of(planes_of(step), [](const auto& p) { return p.second.over > 1; });
}

std::string spread_text(const StagePlan& plan, const StageStep& step, const std::string& block) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) {
    if (plane.over == 1) continue;
    text +=
        plane_text(
            plan, plane,
            "$type t$i_spread_[2 * $halo + 1][tandem_chunk + $block + (2 * $halo + 2) * $over];\n"
            "const int t$i_first_ = chunk_ / $over - $halo;\n"
            "for (int j_ = 0; j_ <= 2 * $halo; ++j_) {\n"
            "const $type* const from_ = t$i_rows_[j_] + t$i_first_;\n"
            "const int count_ = (chunk_end_ - 1) / $over + $halo + 1 - t$i_first_;\n"
            "for (int i_ = 0; i_ < count_; ++i_)\n"
            "for (int k_ = 0; k_ < $over; ++k_) t$i_spread_[j_][i_ * $over + k_] = from_[i_];\n"
            "}\n")
            .put("block", block);
  }
  return text;
}

std::string narrowed_text(const StagePlan& plan, const StageStep& step) {
  return each_written_byte(plan, step,
                           "for (int i_ = 0; i_ < chunk_end_ - chunk_; ++i_) "
                           "t$i_row_[chunk_ + i_] = (uchar)t$i_wide_[i_];\n");
}

std::string common_c_text(const StageFile& file) {
  StageCode code = file.common;
  int depth = 0;
  std::size_t table = code.text.npos;  // where the declaration of one begins
  std::ptrdiff_t commas = 0;
  for (const CodeWord& word : words_of(file.common.text)) {
    if (word.text == "{") ++depth;
    if (word.text == "}") --depth;
    if (word.text == ",") ++commas;
    if (depth > 0) continue;
    if (word.text == "constant") {
      table = word.at;
      commas = 0;
    } else if (word.text == ";") {
      // A word as long: the compiler's columns are those of the user's file.
      if (table != code.text.npos && commas >= kMostKnown) code.text.replace(table, 8, "unknown_");
      table = code.text.npos;
    }
  }
  return user_text(file, code, kDeclarationsEnd);
}

}  // namespace tandem
