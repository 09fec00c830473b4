// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/dependencies.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>

#include "pipelines/generate/write/stage_comments.h"

namespace tandem::generate {
namespace {

constexpr std::string_view kDependenciesKey = "dependencies";
constexpr std::string_view kFormerKey = "follows";  // in files that exist

// Elements below the first dimension.
long inner_elements(const Array& array, const Values& values) {
  long product = 1;
  for (std::size_t d = 1; d < array.sizes.size(); ++d)
    product *= array.sizes[d].with(values).constant;
  return product;
}

class DependencyReader {
 public:
  DependencyReader(const LoopProgram& program, const Layout& layout, const StageFile& file)
      : program_(program), layout_(layout), file_(file), nests_(nests_of(program)) {}

  StageDependencies all() {
    if (layout_.kind != Layout::Kind::kFixed || nests_.size() > file_.parts.size()) return {};
    for (const Sequence& sequence : program_.sequences)
      if (sequence.around) return {};
    for (std::size_t k = 0; k < nests_.size(); ++k)
      if (layout_.grids[k].written.size() != file_.parts[k].writes.size()) return {};
    for (std::size_t k = 0; k < nests_.size(); ++k) add_part(k);
    return std::move(dependencies_);
  }

 private:
  // Which array the code of part k calls so.
  const Array* array_of(std::size_t k, const StageRead& read) const {
    for (std::size_t before = 0; before < k; ++before)
      for (std::size_t i = 0; i < file_.parts[before].writes.size(); ++i)
        if (file_.parts[before].writes[i].name == read.name)
          return program_.array(layout_.grids[before].written[i]);
    for (const Array& array : program_.arrays) {
      const std::string name = name_of_symbol(array.symbol);
      if (array.is_parameter && (read.tensor == name || read.tensor == name + "_in")) return &array;
    }
    return nullptr;
  }

  // Distances from the element's own place, in the first dimension.
  std::optional<Range> distances(std::size_t k, const Symbol& array) const {
    const Grid& grid = layout_.grids[k];
    std::optional<Range> all;
    const auto include = [&](const Range& range) {
      if (!all) all = range;
      all->least = std::min(all->least, range.least);
      all->most = std::max(all->most, range.most);
    };
    // Elements that no iteration writes keep what they were.
    if (std::ranges::find(grid.written, array) != grid.written.end()) include({0, 0});
    for (const ArrayAccess& access : nests_[k]->accesses) {
      if (access.array != array || !access.reads) continue;
      if (!access.indices[0]) return {};
      const auto range =
          range_of(*access.indices[0] - grid.indices[0], access.around, layout_.values);
      if (!range) return {};
      include(*range);
    }
    return all;
  }

  void add_part(std::size_t k) {
    const long own = inner_elements(*program_.array(layout_.grids[k].array), layout_.values);
    for (const StageRead& read : file_.parts[k].reads) {
      const Array* const array = array_of(k, read);
      if (array == nullptr || read.shape.is_plane()) continue;
      const auto range = distances(k, array->symbol);
      if (!range) continue;
      dependencies_[{static_cast<int>(k), read.name}] = {
          own, inner_elements(*array, layout_.values), range->least, range->most};
    }
  }

  const LoopProgram& program_;
  const Layout& layout_;
  const StageFile& file_;
  const std::vector<const Nest*> nests_;
  StageDependencies dependencies_;
};

}  // namespace

StageDependencies dependencies_of(const LoopProgram& program, const Layout& layout,
                                  const StageFile& file) {
  return DependencyReader(program, layout, file).all();
}

std::string dependencies_line(const StageDependencies& dependencies) {
  Comments words;
  for (const auto& [key, dependency] : dependencies) {
    std::string value = std::to_string(dependency.own) + ":" + std::to_string(dependency.other);
    if (dependency.least != 0 || dependency.most != 0)
      value += ":" + std::to_string(dependency.least) + ":" + std::to_string(dependency.most);
    words.emplace_back(std::to_string(key.first) + "." + key.second, value);
  }
  return comment_line(kDependenciesKey, words);
}

StageDependencies read_dependencies(const std::string& stage) {
  StageDependencies dependencies;
  Comments words = read_comment(stage, kDependenciesKey);
  if (words.empty()) words = read_comment(stage, kFormerKey);
  for (const auto& [name, value] : words) {
    StageDependency dependency;
    const std::size_t dot = name.find('.');
    int part = -1, used = 0;
    const int numbers =
        std::sscanf(value.c_str(), "%ld:%ld%n:%ld:%ld%n", &dependency.own, &dependency.other, &used,
                    &dependency.least, &dependency.most, &used);
    if (dot == name.npos || std::sscanf(name.c_str(), "%d.", &part) != 1 || part < 0 ||
        (numbers != 2 && numbers != 4) || static_cast<std::size_t>(used) != value.size() ||
        dependency.own < 1 || dependency.other < 1 || dependency.least > dependency.most)
      throw std::invalid_argument("'" + name + "=" + value +
                                  "' is not of the form PART.TENSOR=OWN:OTHER[:LEAST:MOST]");
    dependencies[{part, name.substr(dot + 1)}] = dependency;
  }
  return dependencies;
}

}  // namespace tandem::generate
