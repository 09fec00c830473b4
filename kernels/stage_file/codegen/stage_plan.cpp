// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/stage_plan.h"

#include <algorithm>
#include <set>

#include "kernels/stage_file/parse/directive.h"

namespace tandem {
namespace {

using Role = StageTensor::Role;
using Skeleton = StagePart::Skeleton;

class Planner {
 public:
  explicit Planner(const StageFile& file) : file_(file) {}

  StagePlan all() {
    for (std::size_t k = 0; k < file_.parts.size(); ++k) {
      if (k > 0 && fuses(k)) {
        step_of_.push_back(step_of_.back());
      } else {
        step_of_.push_back(k == 0 ? 0 : step_of_.back() + 1);
      }
    }
    for (std::size_t k = 0; k < file_.parts.size(); ++k) {
      if (step_of_[k] == plan_.steps.size()) begin_step(file_.parts[k]);
      add_part(plan_.steps.back(), k);
    }
    return std::move(plan_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& problem) const {
    throw StageFileError(at_line(file_.path, line, 1, problem));
  }

  int add(StageTensor tensor) {
    plan_.tensors.push_back(std::move(tensor));
    return static_cast<int>(plan_.tensors.size()) - 1;
  }

  // The tensor of that role and name, -1 when there is none yet.
  int find(Role role, const std::string& name) const {
    const auto& all = plan_.tensors;
    const auto found = std::ranges::find_if(
        all, [&](const StageTensor& t) { return t.role == role && t.name == name; });
    return found == all.end() ? -1 : static_cast<int>(found - all.begin());
  }

  int made(const std::string& name) const {
    const int output = find(Role::kOutput, name);
    return output >= 0 ? output : find(Role::kPrivate, name);
  }

  const StageShape& grid_of(const StagePart& part) const {
    if (part.skeleton != Skeleton::kReduce) return part.writes.front().shape;
    for (const StageRead& read : part.reads)
      if (read.shape.is_plane()) return read.shape;
    if (!part.reads.empty()) return part.reads.front().shape;
    fail(part.line, "REDUCE needs a READ: it runs over the first tensor that it reads");
  }

  // Whether part k can be computed element by element together with the parts before it, back to
  // the one that began their step.
  bool fuses(std::size_t k) const {
    const StagePart& part = file_.parts[k];
    for (std::size_t before = k; before-- > 0 && step_of_[before] == step_of_.back();) {
      const StagePart& made = file_.parts[before];
      if (part.skeleton != Skeleton::kMap || made.skeleton != Skeleton::kMap) return false;
      if (part.writes.empty() || part.writes.front().shape != made.writes.front().shape)
        return false;
      for (const StageRead& read : part.reads) {
        const StageWrite* write = find_write(made, read.name);
        if (write && (read.halo > 0 || write->is_kept || !write->shape.is_plane())) return false;
      }
    }
    return true;
  }

  static const StageWrite* find_write(const StagePart& part, const std::string& name) {
    const auto found = std::ranges::find(part.writes, name, &StageWrite::name);
    return found == part.writes.end() || found->is_luma() ? nullptr : &*found;
  }

  bool is_made_in_step_of(std::size_t k, const std::string& name) const {
    for (std::size_t before = 0; before < k; ++before)
      if (step_of_[before] == step_of_[k] && find_write(file_.parts[before], name)) return true;
    return false;
  }

  // Whether another step needs the tensor.
  bool is_read_later(std::size_t k, const std::string& name) const {
    for (std::size_t later = k + 1; later < file_.parts.size(); ++later) {
      if (step_of_[later] != step_of_[k] &&
          std::ranges::find(file_.parts[later].reads, name, &StageRead::name) !=
              file_.parts[later].reads.end())
        return true;
    }
    return false;
  }

  void begin_step(const StagePart& part) {
    StageStep& step = plan_.steps.emplace_back();
    step.skeleton = part.skeleton;
    step.grid = grid_of(part);
    step.passes = part.passes;
    step.until_settled = part.until_settled;
    if (step.until_settled)
      step.flags = add({.role = Role::kFlags,
                        .name = "flags",
                        .type = ElementType::kInt32,
                        .shape = {.constants = {step.passes + 1}}});
  }

  StageAccess access(const StageStep& step, std::size_t k, const StageRead& read) {
    StageAccess access{.name = read.name, .halo = read.halo};
    if (!read.is_pixels() && is_made_in_step_of(k, read.name)) {
      access.kind = StageAccess::Kind::kLocal;
      return access;
    }
    if (read.is_pixels()) {
      access.tensor = find(Role::kPixels, read.name);
      if (access.tensor < 0)
        access.tensor =
            add({.role = Role::kPixels, .name = read.name, .type = read.type, .shape = read.shape});
    } else if (read.tensor.empty()) {
      access.tensor = made(read.name);
    } else {
      access.tensor = find(Role::kInput, read.name);
      if (access.tensor < 0)
        access.tensor = add({.role = Role::kInput,
                             .name = read.name,
                             .tensor = read.tensor,
                             .type = read.type,
                             .shape = read.shape});
    }
    place(step, read.shape, read.line, access);
    return access;
  }

  void place(const StageStep& step, const StageShape& shape, int line, StageAccess& access) const {
    if (!shape.is_plane()) {
      access.kind = StageAccess::Kind::kArray;
    } else if (step.grid.is_plane()) {
      const int to = step.grid.divisor, from = shape.divisor;
      if (to % from != 0 && from % to != 0)
        fail(line, "sizes 1/" + std::to_string(from) + " and 1/" + std::to_string(to) +
                       " do not match: one must be a multiple of the other");
      access.times = std::max(1, to / from);
      access.over = std::max(1, from / to);
    }
  }

  void add_part(StageStep& step, std::size_t k) {
    const StagePart& part = file_.parts[k];
    StagePlanPart planned{.part = k};
    for (const StageRead& read : part.reads) planned.reads.push_back(access(step, k, read));
    for (const StageWrite& write : part.writes) {
      StageStore store{.name = write.name, .type = write.type};
      const bool elided = write.is_private && !write.is_kept && step.skeleton == Skeleton::kMap &&
                          !is_read_later(k, write.name);
      if (!elided) {
        const Role role = write.is_luma()    ? Role::kLumaOut
                          : write.is_private ? Role::kPrivate
                                             : Role::kOutput;
        store.tensor =
            add({role, write.name, write.tensor, write.type, write.shape, -1, write.tolerance});
      }
      add_companion(step, write, store, planned);
      planned.writes.push_back(store);
    }
    step.parts.push_back(planned);
  }

  // Adds a tensor's values of the frame or pass before, or its partial results, as another tensor.
  void add_companion(const StageStep& step, const StageWrite& write, StageStore& store,
                     StagePlanPart& planned) {
    StageTensor beside{
        .name = write.name, .type = write.type, .shape = write.shape, .of = store.tensor};
    if (step.skeleton == Skeleton::kReduce) {
      beside.role = Role::kPartials;
      const int pieces = std::max(kHostPieces, device_pieces(elements_of(write.shape)));
      beside.shape.constants.insert(beside.shape.constants.begin(), pieces);
      store.partials = add(beside);
      return;
    }
    if (step.skeleton != Skeleton::kLoop && !write.is_kept) return;
    beside.role = write.is_kept ? Role::kBefore : Role::kOther;
    StageAccess before{.name = write.name, .tensor = add(beside), .halo = write.halo};
    place(step, write.shape, write.line, before);
    // The variable of what is written has the name that a plane's reads share with it.
    if (before.kind == StageAccess::Kind::kArray) before.name += "_before";
    planned.reads.push_back(before);
  }

  const StageFile& file_;
  std::vector<std::size_t> step_of_;  // of each part
  StagePlan plan_;
};

}  // namespace

// Work-items that count the same level side by side use banks of memory of their own.
std::size_t padded_elements(const StageShape& shape) { return elements_of(shape) + 1; }

std::vector<int> StageStep::tensors() const {
  std::set<int> used;
  for (const StagePlanPart& part : parts) {
    for (const StageAccess& read : part.reads) used.insert(read.tensor);
    for (const StageStore& write : part.writes) {
      used.insert(write.tensor);
      used.insert(write.partials);
    }
  }
  used.insert(flags);
  used.erase(-1);
  return {used.begin(), used.end()};
}

int device_pieces(std::size_t elements) {
  constexpr std::size_t kMostElements = 1 << 20;
  return static_cast<int>(std::clamp<std::size_t>(kMostElements / elements, 1, kMostPieces));
}

int local_items(const StagePlan& plan, const StageStep& step) {
  constexpr std::size_t kMostBytes = 30 << 10;  // every device has 32 KiB
  std::size_t bytes = 0;
  for (const StageStore& write : step.parts[0].writes)
    bytes += padded_elements(plan.tensors[static_cast<std::size_t>(write.tensor)].shape) *
             bytes_of(write.type);
  for (const std::size_t items : {64, 32, 16})
    if (items * bytes <= kMostBytes) return static_cast<int>(items);
  return 0;
}

bool adds_elements(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  constexpr std::size_t kLeast = 32;  // fewer leave most of a work-group idle
  return step.skeleton == Skeleton::kReduce &&
         file.parts[step.parts[0].part].combine.text.empty() &&
         std::ranges::all_of(step.parts[0].writes, [&](const StageStore& write) {
           return elements_of(plan.tensors[static_cast<std::size_t>(write.tensor)].shape) >= kLeast;
         });
}

bool StagePlan::has_bands() const {
  return steps.size() == 1 && steps.front().skeleton != Skeleton::kLoop;
}

StagePlan plan_stage(const StageFile& file) { return Planner(file).all(); }

std::string why_whole(const StageFile& file, const StagePlan& plan) {
  if (file.only) return "ONLY gives its file one side";
  for (const StageStep& step : plan.steps) {
    if (step.skeleton == Skeleton::kReduce) return "its file has a REDUCE, which needs all rows";
    if (step.skeleton == Skeleton::kLoop)
      return "its file has a LOOP, and each pass needs rows of both sides";
  }
  if (plan.steps.size() > 1)
    return "its file has " + std::to_string(plan.steps.size()) +
           " MAPs, and later ones read neighbours that earlier ones write: give each MAP a file "
           "and "
           "a kernelstage of its own";
  for (const StageTensor& tensor : plan.tensors)
    if (tensor.role == Role::kBefore) return "'" + tensor.name + "' is kept from frame to frame";
  if (!plan.steps.front().grid.is_plane())
    return "it writes tensors with a shape, which have no rows of the frame, instead of planes";
  for (const StagePlanPart& part : plan.steps.front().parts) {
    for (const StageAccess& read : part.reads) {
      if (read.kind == StageAccess::Kind::kArray)
        return "it may read any element of '" + read.name + "', which has a shape";
      if (read.name == StageRead::kCb || read.name == StageRead::kCr)
        return "it reads '" + read.name +
               "', the rows of which lie in one plane with others in "
               "some formats";
    }
  }
  return {};
}

}  // namespace tandem
