// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/write/features.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "pipelines/generate/write/stage_comments.h"

namespace tandem::generate {
namespace {

constexpr std::string_view kFeaturesKey = "features";

Polynomial rows_of(const StageShape& shape) {
  return shape.is_plane() ? Polynomial(Affine::of("height")) : Polynomial(shape.rows(0));
}

Polynomial columns_of(const StageShape& shape) {
  return shape.is_plane() ? Polynomial(Affine::of("width")) : Polynomial(shape.columns(0));
}

Polynomial bytes(ElementType type, const StageShape& shape) {
  return rows_of(shape) * columns_of(shape) * Polynomial(static_cast<double>(bytes_of(type)));
}

class FeatureReader {
 public:
  FeatureReader(const LoopProgram& program, const Layout& layout, const StageFile& file)
      : program_(program), layout_(layout), file_(file) {}

  Features all() {
    std::size_t k = 0;
    for (const Sequence& sequence : program_.sequences) {
      const Polynomial times = sequence.around ? count(*sequence.around, {}) : Polynomial(1);
      for (const Nest& nest : sequence.nests) add_nest(nest, layout_.grids[k++], times);
    }
    add_transfers();
    add_tasks();
    return features_;
  }

 private:
  void add(const char* name, const Polynomial& value) { features_[name] = features_[name] + value; }

  // Rows of the part that has the most elements.
  void add_tasks() {
    double most = 0;
    for (const StagePart& part : file_.parts) {
      const bool reduces = part.skeleton == StagePart::Skeleton::kReduce;
      const StageShape& grid = reduces ? part.reads.front().shape : part.writes.front().shape;
      const double elements = (rows_of(grid) * columns_of(grid)).at(1024, 1024);
      if (elements <= most) continue;
      most = elements;
      features_["most-tasks"] = rows_of(grid);
      features_["least-task"] = columns_of(grid);
    }
  }

  // How often a loop runs; where its bounds depend on other loops, halfway between the extremes.
  Polynomial count(const Loop& loop, const std::vector<Loop>& around) const {
    if (!loop.begin || !loop.end) return 1;
    const Affine length = (*loop.end - *loop.begin).with(layout_.values);
    const Polynomial share(1.0 / static_cast<double>(std::labs(loop.step)));
    const bool known = std::ranges::none_of(
        length.terms, [](const auto& term) { return term.first.find('#') != Symbol::npos; });
    if (known) return Polynomial(length) * share;
    const auto range = range_of(length, around, layout_.values);
    return range ? Polynomial(static_cast<double>(range->least + range->most) / 2) * share : 1;
  }

  Polynomial product(const std::vector<Loop>& loops) const {
    Polynomial all(1);
    std::vector<Loop> around;
    for (const Loop& loop : loops) {
      all = all * count(loop, around);
      around.push_back(loop);
    }
    return all;
  }

  void add_nest(const Nest& nest, const Grid& grid, const Polynomial& times) {
    features_["loop-nest"] =
        std::max(features_["loop-nest"].at(0, 0), static_cast<double>(nest.loops_around));
    const std::vector<Loop> parallel = loops_of(nest, nest.parallel);
    add("loop-count", product(parallel) * times);
    for (const Operations& each : nest.operations)
      add("instructions", product(each.around) * times * Polynomial(each.count));
    for (const ArrayAccess& access : nest.accesses) {
      const auto follows = [&](const std::optional<Affine>& index) {
        return index && std::ranges::any_of(parallel, [&](const Loop& loop) {
                 return index->mentions(loop.variable);
               });
      };
      add("access-1", follows(access.indices.back()) ? 1 : 0);
      add("access-2", std::any_of(access.indices.begin(), access.indices.end() - 1, follows));
      add_redundant(access, grid);
    }
  }

  // Which rows of its inputs a row of elements needs; null: all.
  void add_redundant(const ArrayAccess& access, const Grid& grid) {
    if (access.writes || !program_.array(access.array)->is_parameter) return;
    std::optional<Range> rows;
    if (access.indices[0])
      rows = range_of(*access.indices[0] - grid.indices[0], access.around, layout_.values);
    const auto [found, is_new] = rows_.emplace(access.array, rows);
    if (is_new || !found->second) return;
    if (!rows) {
      found->second.reset();
    } else {
      found->second->least = std::min(found->second->least, rows->least);
      found->second->most = std::max(found->second->most, rows->most);
    }
  }

  // The bytes that each further task is given and another task has too.
  Polynomial redundant() const {
    Polynomial sum;
    for (const auto& [symbol, found] : rows_) {
      const Array& array = *program_.array(symbol);
      const Affine length = array.sizes[0].with(layout_.values);
      auto rows = found;
      if (rows && length.is_constant() && rows->most - rows->least >= length.constant) rows.reset();
      Polynomial shared(static_cast<double>(bytes_of(array.type)));
      for (std::size_t d = rows ? 1 : 0; d < array.sizes.size(); ++d)
        shared = shared * Polynomial(array.sizes[d].with(layout_.values));
      if (rows)
        shared =
            shared *
            Polynomial(static_cast<double>(std::max(0L, rows->most) - std::min(0L, rows->least)));
      sum = sum + shared;
    }
    return sum;
  }

  void add_transfers() {
    features_["redundant-transfer"] = redundant();
    add("host-to-device", 0);
    add("device-to-host", 0);
    std::set<std::string> seen;
    for (const StagePart& part : file_.parts) {
      for (const StageRead& read : part.reads)
        if (!read.tensor.empty() && seen.insert(read.tensor).second)
          add("host-to-device", bytes(read.type, read.shape));
      for (const StageWrite& write : part.writes) {
        if (write.is_private) continue;
        seen.insert(write.tensor);
        add("device-to-host", bytes(write.type, write.shape));
      }
    }
    features_["transfers"] = Polynomial(static_cast<double>(seen.size()));
    features_["transfer"] = features_["host-to-device"] + features_["device-to-host"];
  }

  const LoopProgram& program_;
  const Layout& layout_;
  const StageFile& file_;
  std::map<Symbol, std::optional<Range>> rows_;
  Features features_;
};

}  // namespace

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_[{0, 0}] = constant;
}

Polynomial::Polynomial(const Affine& a) : Polynomial(static_cast<double>(a.constant)) {
  constexpr std::pair<const char*, std::pair<int, int>> kWords[] = {{"width", {1, 0}},
                                                                    {"height", {0, 1}},
                                                                    {"(width * height)", {1, 1}},
                                                                    {"height.width", {1, 1}}};
  for (const auto& [word, powers] : kWords)
    if (const long times = a.coefficient(word); times != 0)
      terms_[powers] = static_cast<double>(times);
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  for (const auto& [powers, factor] : other.terms_)
    if ((sum.terms_[powers] += factor) == 0) sum.terms_.erase(powers);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial product;
  for (const auto& [a, x] : terms_) {
    Polynomial line;
    for (const auto& [b, y] : other.terms_)
      line.terms_[{a.first + b.first, a.second + b.second}] = x * y;
    product = product + line;
  }
  return product;
}

double Polynomial::at(int width, int height) const {
  double sum = 0;
  for (const auto& [powers, factor] : terms_)
    sum += factor * std::pow(width, powers.first) * std::pow(height, powers.second);
  return sum;
}

std::string Polynomial::text() const {
  std::string text;
  for (auto term = terms_.rbegin(); term != terms_.rend(); ++term) {
    const auto& [powers, factor] = *term;
    if (!text.empty() && factor > 0) text += '+';
    char number[32];
    text.append(number, std::to_chars(number, number + sizeof number, factor).ptr);
    for (int i = 0; i < powers.first; ++i) text += "*width";
    for (int i = 0; i < powers.second; ++i) text += "*height";
  }
  return text.empty() ? "0" : text;
}

Polynomial Polynomial::read(const std::string& text) {
  Polynomial sum;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == '+') ++at;
    double factor = 0;
    const auto [behind, error] = std::from_chars(at, end, factor);
    if (error != std::errc()) throw std::invalid_argument("'" + text + "' is not a number");
    at = behind;
    std::pair<int, int> powers{0, 0};
    while (at != end && *at == '*') {
      const std::string rest(at + 1, end);
      const bool width = rest.starts_with("width");
      if (!width && !rest.starts_with("height"))
        throw std::invalid_argument("'" + text + "' has an unknown word");
      ++(width ? powers.first : powers.second);
      at += width ? 6 : 7;
    }
    Polynomial term;
    term.terms_[powers] = factor;
    sum = sum + term;
  }
  return sum;
}

Features features_of(const LoopProgram& program, const Layout& layout, const StageFile& file) {
  return FeatureReader(program, layout, file).all();
}

std::string features_line(const Features& features) {
  Comments words;
  for (const auto& [name, value] : features) words.emplace_back(name, value.text());
  return comment_line(kFeaturesKey, words);
}

std::map<std::string, double> read_features(const std::string& stage, int width, int height) {
  std::map<std::string, double> features;
  for (const auto& [name, value] : read_comment(stage, kFeaturesKey)) {
    if (value.empty()) throw std::invalid_argument("the feature '" + name + "' has no value");
    features[name] = Polynomial::read(value).at(width, height);
  }
  return features;
}

}  // namespace tandem::generate
