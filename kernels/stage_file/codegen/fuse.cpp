// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/fuse.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "kernels/stage_file/parse/names.h"
#include "kernels/stage_file/run/host_stage.h"

namespace tandem {
namespace {

using Role = StageTensor::Role;
using Skeleton = StagePart::Skeleton;

std::vector<const StageCode*> codes_of(const StageFile& file) {
  std::vector<const StageCode*> codes{&file.common};
  for (const StagePart& part : file.parts) {
    codes.push_back(&part.body);
    if (part.cpu_body) codes.push_back(&*part.cpu_body);
    if (part.device_body) codes.push_back(&*part.device_body);
  }
  return codes;
}

// Macros apply to the end of the source, also in other files.
bool has_macros(const StageFile& file) {
  return std::ranges::any_of(codes_of(file), [](const StageCode* code) {
    const std::string& text = code->text;
    for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
      const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
      if (before == text.npos || text[before] == '\n') return true;
    }
    return false;
  });
}

// Names of types outside of functions are not renamed.
bool has_types(const StageFile& file) {
  return std::ranges::any_of(std::to_array({"struct", "union", "enum", "typedef"}),
                             [&](const char* word) { return mentions(file.common.text, word); });
}

bool may_fuse(const StageFile& file) {
  return !file.contract && !file.only && !file.keeps() && file.regions.empty() &&
         !has_macros(file) && !has_types(file) &&
         std::ranges::all_of(file.parts, [](const StagePart& part) {
           return part.skeleton == Skeleton::kMap && part.writes.front().shape.is_plane();
         });
}

// Functions and constants that the common code defines: what stands outside of all brackets and in
// front of a bracket or a value.
std::vector<std::string> defined_by(const StageCode& common) {
  std::vector<std::string> names;
  int depth = 0;
  std::string_view before;
  for (const CodeWord& word : words_of(common.text)) {
    const std::string_view text = word.text;
    const bool opens = text == "(" || text == "[" || text == "{";
    if (depth == 0 && (text == "(" || text == "[" || text == "=") && !before.empty())
      names.emplace_back(before);
    depth += opens ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
    before = problem_of_name(text).empty() ? text : std::string_view();
  }
  return names;
}

/// New names for the names of one file. Luma has two: one that is read, `luma(0, 0)`, and one that
/// is written.
struct Renaming {
  std::map<std::string, std::string, std::less<>> names, calls;

  std::string of(const std::string& text) const {
    std::string renamed;
    std::size_t at = 0;
    const std::vector<CodeWord> words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_call = i + 1 < words.size() && words[i + 1].text == "(";
      auto found = is_call ? calls.find(words[i].text) : calls.end();
      if (found == calls.end()) {
        found = names.find(words[i].text);
        if (found == names.end()) continue;
      }
      renamed.append(text, at, words[i].at - at).append(found->second);
      at = words[i].at + words[i].text.size();
    }
    return renamed.append(text, at);
  }
  StageCode of(const StageCode& code) const { return {of(code.text), code.line}; }
};

class Fusion {
 public:
  Fusion(std::span<const StageFile* const> files, const FusedReaders& readers)
      : files_(files), readers_(readers) {}

  std::optional<FusedFiles> all() {
    if (files_.size() < 2 || !std::ranges::all_of(files_, [](auto* f) { return may_fuse(*f); }))
      return {};
    fused_.file.path = files_.front()->path;
    fused_.file.name = "fused";
    for (std::size_t k = 0; k < files_.size(); ++k)
      if (!add(k)) return {};
    if (fused_.file.parameters.size() > kMostFusedParameters) return {};
    leave_out();
    try {
      fused_.plan = plan_stage(fused_.file);
    } catch (const StageFileError&) {
      return {};
    }
    if (fused_.plan.steps.size() != 1 || fused_.plan.tensors.size() > kMostStageTensors) return {};
    find_origins();
    if (fused_.origins.size() != fused_.plan.tensors.size()) return {};
    return std::move(fused_);
  }

 private:
  /// A tensor, or luma, as a file left it.
  struct Made {
    std::size_t file = 0;
    std::string name;  // in the fused code
    ElementType type = ElementType::kUint8;
    StageShape shape;
  };

  /// A file reads what an earlier one made.
  struct Use {
    std::size_t from = 0, by = 0;
    std::string tensor;
  };

  static std::string name_in(std::size_t k, const std::string& name) {
    return name + "_s" + std::to_string(k) + "_";
  }

  // The parts of a file behind those before it. False: they do not fit together.
  bool add(std::size_t k) {
    const StageFile& file = *files_[k];
    Renaming renaming;
    for (const std::string& name : defined_by(file.common)) renaming.names[name] = name_in(k, name);
    fused_.file.common.text += renaming.of(file.common.text) + "\n";
    for (StageParameter p : file.parameters) {
      renaming.names[p.name] = name_in(k, p.name);
      p.name = name_in(k, p.name);
      fused_.file.parameters.push_back(p);
    }
    for (const StagePart& part : file.parts)
      for (const StageWrite& write : part.writes)
        renaming.names[write.name] = name_in(k, write.name);
    std::vector<StagePart> parts;
    for (const StagePart& part : file.parts) {
      StagePart& own = parts.emplace_back(part);
      for (StageRead& read : own.reads)
        if (!resolve(k, read, renaming)) return false;
      for (StageWrite& write : own.writes) rename(k, write);
    }
    for (StagePart& part : parts) {
      part.body = renaming.of(part.body);
      for (auto* body : {&part.cpu_body, &part.device_body})
        if (*body) *body = renaming.of(**body);
      for (const StageWrite& write : part.writes)
        if (!write.is_private) made_[write.tensor] = {k, write.name, write.type, write.shape};
      fused_.file.parts.push_back(std::move(part));
    }
    return true;
  }

  // Luma is a tensor like others here: `luma` on the frame.
  static void rename(std::size_t k, StageWrite& write) {
    if (write.is_luma()) write.tensor = StageRead::kLuma;
    write.name = name_in(k, write.name);
  }

  // A read finds its tensor in the frame, in the file itself, in a file before it, or in a stage
  // before them all.
  bool resolve(std::size_t k, StageRead& read, Renaming& renaming) {
    const std::string name = read.name;
    const auto is_own = [&](const StagePart& part) {
      return std::ranges::any_of(part.writes, [&](const StageWrite& w) { return w.name == name; });
    };
    if (!read.is_pixels() && read.tensor.empty() && std::ranges::any_of(files_[k]->parts, is_own)) {
      read.name = name_in(k, name);
      renaming.calls[name] = read.name;
      return true;
    }
    const std::string tensor = read.is_luma() ? std::string(StageRead::kLuma) : read.tensor;
    const auto made = read.is_chroma() ? made_.end() : made_.find(tensor);
    if (made != made_.end()) {
      const Made& from = made->second;
      if (read.halo > 0 || read.type != from.type || read.shape != from.shape) return false;
      uses_.push_back({from.file, k, tensor});
      read.name = from.name;
      read.tensor.clear();
    } else if (!read.is_pixels()) {
      read.name = name_in(k, name);
    }
    renaming.calls[name] = read.name;
    if (!read.shape.is_plane()) renaming.names[name] = read.name;
    return true;
  }

  // A tensor that a later file consumes or overwrites is not needed behind them.
  void leave_out() {
    std::size_t k = 0, parts = 0;
    for (StagePart& part : fused_.file.parts) {
      while (parts == files_[k]->parts.size()) ++k, parts = 0;
      ++parts;
      for (StageWrite& write : part.writes)
        write.is_private = write.is_private || !is_stored(k, write.tensor);
    }
  }

  bool is_stored(std::size_t k, const std::string& tensor) const {
    const auto luma = made_.find(StageRead::kLuma);
    const bool is_last = made_.at(tensor).file == k;
    if (luma != made_.end() && tensor == luma->first) return is_last;
    bool is_read = false;
    for (const Use& use : uses_) {
      if (use.from != k || use.tensor != tensor) continue;
      is_read = true;
      // Stages behind the luma that the frame gets may be computed again alone: a device failed.
      if (luma != made_.end() && k <= luma->second.file && use.by > luma->second.file) return true;
    }
    return readers_.keeps_all || (is_last && (!is_read || readers_.is_read(tensor)));
  }

  void find_origins() {
    std::vector<StagePlan> plans;
    for (const StageFile* file : files_) plans.push_back(plan_stage(*file));
    for (std::size_t i = 0; i < fused_.plan.tensors.size(); ++i) {
      const StageTensor& tensor = fused_.plan.tensors[i];
      for (std::size_t k = 0; k < plans.size(); ++k) {
        const auto& own = plans[k].tensors;
        const auto found = std::ranges::find_if(own, [&](const StageTensor& t) {
          if (tensor.role == Role::kPixels) return t.role == Role::kPixels && t.name == tensor.name;
          return t.role != Role::kPixels && name_in(k, t.name) == tensor.name;
        });
        if (found == own.end()) continue;
        fused_.origins.push_back({k, static_cast<int>(found - own.begin())});
        if (found->role == Role::kLumaOut) fused_.luma = static_cast<int>(i);
        break;
      }
    }
  }

  const std::span<const StageFile* const> files_;
  const FusedReaders& readers_;
  FusedFiles fused_;
  std::map<std::string, Made, std::less<>> made_;  // by the tensor's name, the last of each
  std::vector<Use> uses_;
};

}  // namespace

std::optional<FusedFiles> fuse_stage_files(std::span<const StageFile* const> files,
                                           const FusedReaders& readers) {
  return Fusion(files, readers).all();
}

}  // namespace tandem
