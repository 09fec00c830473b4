// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stream_plan.h"

#include <algorithm>

namespace tandem {
namespace {

using Kind = StreamCommand::Kind;
using Role = StageTensor::Role;
using Skeleton = StagePart::Skeleton;

struct GridSize {
  long columns = 1, rows = 1;
  long elements() const { return columns * rows; }
};

// Bands of rows, or pieces of a row where there are fewer rows than tasks. Empty: neither fits.
std::vector<Elements> cut(const GridSize& grid, int tasks) {
  std::vector<Elements> parts;
  if (grid.rows >= tasks) {
    for (long t = 0; t < tasks; ++t)
      parts.push_back(
          {grid.rows * t / tasks * grid.columns, grid.rows * (t + 1) / tasks * grid.columns});
    return parts;
  }
  const long pieces = tasks / grid.rows;
  if (tasks % grid.rows != 0 || pieces > grid.columns) return {};
  for (long row = 0; row < grid.rows; ++row)
    for (long k = 0; k < pieces; ++k)
      parts.push_back({row * grid.columns + grid.columns * k / pieces,
                       row * grid.columns + grid.columns * (k + 1) / pieces});
  return parts;
}

// The elements with their halo, in a plane of the grid's size.
Elements with_halo(const Elements& own, long halo, const GridSize& grid) {
  if (halo == 0) return own;
  const bool in_row = own.count() < grid.columns;
  if (grid.rows == 1 && in_row)
    return {std::max(0L, own.begin - halo), std::min(grid.columns, own.end + halo)};
  const long first = own.begin / grid.columns - halo;
  const long last = (own.end - 1) / grid.columns + halo;
  return {std::max(0L, first) * grid.columns, std::min(grid.rows, last + 1) * grid.columns};
}

long floor_div(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Elements needed_of(const Elements& own, const StageDependency& dependency, long all) {
  const long first = floor_div(own.begin, dependency.own) + dependency.least;
  const long last = floor_div(own.end - 1, dependency.own) + dependency.most;
  return {std::clamp(first * dependency.other, 0L, all),
          std::clamp((last + 1) * dependency.other, 0L, all)};
}

class Streamer {
 public:
  Streamer(const StagePlan& plan, const StageDependencies& dependencies, int width, int height,
           StreamSetting setting)
      : plan_(plan),
        dependencies_(dependencies),
        width_(width),
        height_(height),
        setting_(setting),
        written_(plan.tensors.size()),
        uploaded_(plan.tensors.size()) {}

  StreamCommands all() {
    if (!check()) return std::move(result_);
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const StageStep& step = plan_.steps[k];
      if (step.skeleton == Skeleton::kReduce) {
        add_reduction(static_cast<int>(k));
      } else {
        for (int pass = 0; pass < step.passes; ++pass) add_pass(static_cast<int>(k), pass);
      }
    }
    return std::move(result_);
  }

 private:
  // Elements that other commands wait for.
  struct Written {
    Elements elements;
    int command = 0;
  };

  GridSize grid_of(const StageShape& shape) const {
    return {shape.columns(width_), shape.rows(height_)};
  }
  GridSize grid_of(int tensor) const { return grid_of(this->tensor(tensor).shape); }
  const StageTensor& tensor(int i) const { return plan_.tensors[static_cast<std::size_t>(i)]; }

  // The parts of a step; one where it cannot be cut.
  std::vector<Elements> parts_of(const StageStep& step) const {
    const GridSize grid = grid_of(step.grid);
    const auto parts = cut(grid, setting_.tasks);
    return parts.empty() || step.until_settled ? std::vector<Elements>{{0, grid.elements()}}
                                               : parts;
  }

  bool check() {
    if (std::ranges::any_of(plan_.tensors,
                            [](const StageTensor& t) { return t.role == Role::kBefore; }))
      result_.problem = "it keeps tensors from frame to frame";
    if (setting_.tasks == 1) return result_.problem.empty();
    const auto largest = std::ranges::max_element(plan_.steps, {}, [&](const StageStep& step) {
      return grid_of(step.grid).elements() * step.passes;
    });
    const GridSize grid = grid_of(largest->grid);
    const std::string size = std::to_string(grid.columns) + "x" + std::to_string(grid.rows);
    if (largest->until_settled) {
      result_.problem = "its loop runs until no element requests another pass";
    } else if (largest->skeleton == Skeleton::kReduce &&
               stream_blocks(static_cast<int>(grid.rows)) % setting_.tasks != 0) {
      result_.problem = "a reduction of " + size + " elements cannot be cut into that many tasks";
    } else if (parts_of(*largest).size() == 1) {
      result_.problem = "a grid of " + size + " elements cannot be cut into that many tasks";
    }
    return result_.problem.empty();
  }

  int add(StreamCommand command) {
    std::ranges::sort(command.waits);
    command.waits.erase(std::unique(command.waits.begin(), command.waits.end()),
                        command.waits.end());
    result_.all.push_back(std::move(command));
    return static_cast<int>(result_.all.size()) - 1;
  }

  // The last command of each other lane that wrote some of these elements: lanes are in order.
  void wait_for(std::vector<int>& waits, int lane, int tensor, const Elements& elements) const {
    std::map<int, int> last;
    for (const Written& written : written_[static_cast<std::size_t>(tensor)]) {
      const int other = result_.all[static_cast<std::size_t>(written.command)].lane;
      if (other == lane || !written.elements.overlap(elements)) continue;
      int& latest = last.try_emplace(other, written.command).first->second;
      latest = std::max(latest, written.command);
    }
    for (const auto& [other, command] : last) waits.push_back(command);
  }

  // Uploads those of the elements that no earlier task has uploaded.
  void upload(int tensor, const Elements& needed, int lane) {
    auto& done = uploaded_[static_cast<std::size_t>(tensor)];
    std::vector<Elements> missing{needed};
    for (const Elements& have : done) {
      std::vector<Elements> left;
      for (const Elements& each : missing) {
        if (!each.overlap(have)) {
          left.push_back(each);
          continue;
        }
        if (each.begin < have.begin) left.push_back({each.begin, have.begin});
        if (have.end < each.end) left.push_back({have.end, each.end});
      }
      missing = left;
    }
    for (const Elements& each : missing) {
      const int command =
          add({.kind = Kind::kUpload, .lane = lane, .tensor = tensor, .elements = each});
      done.push_back(each);
      written_[static_cast<std::size_t>(tensor)].push_back({each, command});
    }
  }

  Elements needed(const StageStep& step, const StagePlanPart& part, const StageAccess& read,
                  const Elements& own) const {
    const GridSize grid = grid_of(step.grid), other = grid_of(read.tensor);
    if (read.kind == StageAccess::Kind::kPlane && read.times == 1 && read.over == 1 &&
        other.columns == grid.columns && other.rows == grid.rows)
      return with_halo(own, read.halo, grid);
    const auto dependency = dependencies_.find({static_cast<int>(part.part), read.name});
    if (dependency == dependencies_.end()) return {0, other.elements()};
    return needed_of(own, dependency->second, other.elements());
  }

  // Uploads what a kernel reads and returns what it waits for.
  std::vector<int> prepare(const StageStep& step, int pass, const Elements& own, int lane) {
    std::vector<int> waits;
    for (const StagePlanPart& part : step.parts) {
      for (const StageAccess& read : part.reads) {
        if (read.tensor < 0) continue;
        const Elements elements = needed(step, part, read, own);
        const Role role = tensor(read.tensor).role;
        if (role == Role::kPixels || role == Role::kInput) {
          if (pass > 0) continue;  // the same task of the first pass has seen to it
          upload(read.tensor, elements, lane);
          wait_for(waits, lane, read.tensor, elements);
        } else if (role != Role::kOther) {
          wait_for(waits, lane, read.tensor, elements);
        } else if (pass > 0) {
          // The writers of the pass before. They include the readers of what this pass writes.
          wait_for(waits, lane, memory_of(step, pass - 1, tensor(read.tensor).of), elements);
        }
      }
    }
    return waits;
  }

  int beside(int tensor) const {
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i)
      if (plan_.tensors[i].role == Role::kOther && plan_.tensors[i].of == tensor)
        return static_cast<int>(i);
    return tensor;
  }
  int memory_of(const StageStep& step, int pass, int tensor) const {
    return step.writes_other(pass) ? beside(tensor) : tensor;
  }

  static bool is_downloaded(const StageTensor& tensor) {
    return tensor.role == Role::kOutput || tensor.role == Role::kLumaOut;
  }

  void add_pass(int k, int pass) {
    const StageStep& step = plan_.steps[static_cast<std::size_t>(k)];
    std::map<int, std::vector<Written>> writes;
    const auto parts = parts_of(step);
    for (std::size_t t = 0; t < parts.size(); ++t) {
      const int lane = static_cast<int>(t) % setting_.partitions;
      auto waits = prepare(step, pass, parts[t], lane);
      const int command = add({.kind = Kind::kKernel,
                               .lane = lane,
                               .step = k,
                               .pass = pass,
                               .elements = parts[t],
                               .waits = std::move(waits)});
      for (const StagePlanPart& part : step.parts) {
        for (const StageStore& write : part.writes) {
          if (write.tensor < 0) continue;
          writes[memory_of(step, pass, write.tensor)].push_back({parts[t], command});
          if (pass + 1 == step.passes && is_downloaded(tensor(write.tensor)))
            add({.kind = Kind::kDownload,
                 .lane = lane,
                 .tensor = write.tensor,
                 .elements = parts[t]});
        }
      }
    }
    for (auto& [tensor, all] : writes) written_[static_cast<std::size_t>(tensor)] = std::move(all);
  }

  void add_reduction(int k) {
    const StageStep& step = plan_.steps[static_cast<std::size_t>(k)];
    const GridSize grid = grid_of(step.grid);
    const long blocks = stream_blocks(static_cast<int>(grid.rows));
    const long tasks = blocks % setting_.tasks == 0 ? setting_.tasks : 1;
    std::map<int, int> last;  // of each other lane
    for (long t = 0; t < tasks; ++t) {
      const int lane = static_cast<int>(t) % setting_.partitions;
      const Elements own{blocks * t / tasks, blocks * (t + 1) / tasks};
      const Elements rows{grid.rows * own.begin / blocks, grid.rows * own.end / blocks};
      const Elements read{rows.begin * grid.columns, rows.end * grid.columns};
      const int command = add({.kind = Kind::kKernel,
                               .lane = lane,
                               .step = k,
                               .elements = own,
                               .waits = prepare(step, 0, read, lane)});
      if (lane != 0) last[lane] = command;
    }
    std::vector<int> waits;
    for (const auto& [lane, command] : last) waits.push_back(command);
    const int combined = add({.kind = Kind::kCombine, .step = k, .waits = waits});
    for (const StageStore& write : step.parts[0].writes) {
      const Elements all{0, grid_of(write.tensor).elements()};
      written_[static_cast<std::size_t>(write.tensor)] = {{all, combined}};
      if (is_downloaded(tensor(write.tensor)))
        add({.kind = Kind::kDownload, .tensor = write.tensor, .elements = all});
    }
  }

  const StagePlan& plan_;
  const StageDependencies& dependencies_;
  const int width_, height_;
  const StreamSetting setting_;
  std::vector<std::vector<Written>> written_;    // by tensor
  std::vector<std::vector<Elements>> uploaded_;  // by tensor
  StreamCommands result_;
};

}  // namespace

int stream_blocks(int rows) { return rows >= kStreamBlocks ? kStreamBlocks : 1; }

StreamCommands plan_stream(const StagePlan& plan, const StageDependencies& dependencies, int width,
                           int height, StreamSetting setting) {
  return Streamer(plan, dependencies, width, height, setting).all();
}

}  // namespace tandem
