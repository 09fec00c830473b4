// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/hard_negatives.h"

#include <algorithm>

namespace tandem {
namespace {

uint64_t place_of(std::size_t source, int level, int x, int y) {
  return static_cast<uint64_t>(source) << 40 | static_cast<uint64_t>(level) << 32 |
         static_cast<uint64_t>(y) << 16 | static_cast<uint64_t>(x);
}

/// The box that a perfect detection of this person would have.
Detection ideal_detection(const Box& person) {
  const float width = person.height * PersonBox::kWidth / PersonBox::kHeight;
  return {person.x + (person.width - width) / 2, person.y, width, person.height, 0};
}

bool near_person(const NegativeSource& source, double scale, int x, int y) {
  if (!source.people) return false;
  const Detection window{static_cast<float>((1 + CellGrid::kCell * x + PersonBox::kLeft) * scale),
                         static_cast<float>((1 + CellGrid::kCell * y + PersonBox::kTop) * scale),
                         static_cast<float>(PersonBox::kWidth * scale),
                         static_cast<float>(PersonBox::kHeight * scale), 0};
  const auto near = [&](const Box& b) {
    return overlap(window, ideal_detection(b)) >= source.most_overlap;
  };
  return std::any_of(source.people->objects.begin(), source.people->objects.end(), near) ||
         std::any_of(source.people->ignored.begin(), source.people->ignored.end(), near);
}

}  // namespace

std::vector<Example> random_negatives(const NegativeSource& source, std::size_t source_number,
                                      const FilterBank& bank, float epsilon, int count,
                                      Random& random) {
  const auto levels =
      pyramid_levels(source.image->width, source.image->height, 0, source.first_scale);
  std::vector<int> chosen(levels.size());  // windows of each level, so that each is computed once
  for (int i = 0; i < count; ++i) ++chosen[random.below(levels.size())];
  std::vector<Example> examples;
  for (std::size_t number = 0; number < levels.size(); ++number) {
    const Level& level = levels[number];
    const ScoreGrid grid = ScoreGrid::of(CellGrid::of(level.width, level.height));
    if (grid.columns <= 0 || grid.rows <= 0 || chosen[number] == 0) continue;
    const Cells cells = cells_of(resized(*source.image, level.width, level.height), bank);
    for (int i = 0; i < chosen[number]; ++i) {
      const int x = static_cast<int>(random.below(static_cast<std::size_t>(grid.columns)));
      const int y = static_cast<int>(random.below(static_cast<std::size_t>(grid.rows)));
      if (near_person(source, level.scale, x, y)) continue;
      examples.push_back({Window(cells, bank.count, x, y, epsilon), false, 0,
                          place_of(source_number, static_cast<int>(number), x, y)});
    }
  }
  return examples;
}

std::vector<Example> hard_negatives(const NegativeSource& source, std::size_t source_number,
                                    const FilterBank& bank, const PackedSvm& svm, float epsilon,
                                    int count, const std::set<uint64_t>& known) {
  struct Hard {
    float score;
    Example example;
  };
  const auto stronger = [](const Hard& a, const Hard& b) {
    return a.score != b.score ? a.score > b.score : a.example.place < b.example.place;
  };
  std::vector<Hard> hardest;  // a heap with the weakest in front, at most `count`
  scan(*source.image, bank, svm, 0, source.first_scale, [&](const ScannedLevel& l) {
    for (int y = 0; y < l.score.height; ++y)
      for (int x = 0; x < l.score.width; ++x) {
        const float score = l.score.row(y)[x];
        const uint64_t place = place_of(source_number, l.number, x, y);
        const bool full = static_cast<int>(hardest.size()) == count;
        if (score <= -1 || (full && score <= hardest.front().score) || known.contains(place) ||
            near_person(source, l.level.scale, x, y))
          continue;
        if (full) {
          std::pop_heap(hardest.begin(), hardest.end(), stronger);
          hardest.pop_back();
        }
        hardest.push_back({score, {Window(l.cells, bank.count, x, y, epsilon), false, 0, place}});
        std::push_heap(hardest.begin(), hardest.end(), stronger);
      }
  });
  std::sort(hardest.begin(), hardest.end(), stronger);
  std::vector<Example> examples;
  for (Hard& hard : hardest) examples.push_back(std::move(hard.example));
  return examples;
}

}  // namespace tandem
