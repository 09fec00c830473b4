// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/trainer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "pipelines/training/detector/augmentation.h"
#include "pipelines/training/detector/filter_bank.h"
#include "pipelines/training/detector/scan.h"
#include "pipelines/training/detector/svm.h"
#include "pipelines/training/parallel.h"
#include "pipelines/training/random.h"

namespace tandem {
namespace {

/// A photograph that is searched for windows without a person: everywhere, or where no person's
/// box is near when `people` is given.
struct NegativeSource {
  const GreyImage* image;
  const Photograph* people;  ///< may be null
  float most_overlap;        ///< of a window without a person and a person's ideal detection
  double first_scale;        ///< of the levels that are searched
};

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

/// Up to `count` windows chosen by chance from all levels. `source_number` tells the photographs
/// apart in Example::place.
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

/// The `count` strongest windows that the SVM takes for a person or nearly so (score above -1, its
/// margin) and that are not among the `known` places.
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

// Streams of random numbers, one a purpose.
enum DetectorStream : uint64_t {
  kDetectorFolds = 1,
  kSvm = 2,
  kJitter = 1000,
  kFirstNegatives = 1000000
};

// A jittered person is moved by up to half a cell and scaled by up to half a step of the pyramid:
// the search meets people so.
constexpr double kMostShift = 4 / PersonBox::kHeight;  // of the person's height
constexpr double kMostScale = 1.095;                   // sqrt(1.2)

Box jittered(const Box& person, Random& random) {
  const double scale = std::pow(kMostScale, random.between(-1, 1));
  const double dx = random.between(-kMostShift, kMostShift) * person.height;
  const double dy = random.between(-kMostShift, kMostShift) * person.height;
  const double width = person.width * scale, height = person.height * scale;
  return {static_cast<float>(person.x + person.width / 2 + dx - width / 2),
          static_cast<float>(person.y + person.height / 2 + dy - height / 2),
          static_cast<float>(width), static_cast<float>(height)};
}

Box mirrored_box(const Box& box, int image_width) {
  return {image_width - box.x - box.width, box.y, box.width, box.height};
}

std::vector<Example> people_of(const LoadedPhotograph& photograph, const FilterBank& bank,
                               const TrainingOptions& options, Random& random) {
  std::vector<Example> examples;
  const GreyImage mirror = mirrored(photograph.image);
  for (const Box& person : photograph.photograph.objects) {
    if (person.height < options.min_height) continue;
    for (int copy = 0; copy <= options.jitters; ++copy) {
      const Box box = copy == 0 ? person : jittered(person, random);
      for (const bool flip : {false, true}) {
        const Cells cells = flip ? cells_around(mirror, mirrored_box(box, mirror.width), bank)
                                 : cells_around(photograph.image, box, bank);
        examples.push_back({Window(cells, bank.count, 0, 0, options.epsilon), true, 0, 0});
      }
    }
  }
  return examples;
}

/// Runs make(i) for 0 ... count - 1 in parallel and joins the results in order.
template <typename Make>
std::vector<Example> gather(const std::string& title, std::size_t count, Make make) {
  std::vector<std::vector<Example>> parts = parallel_map(title, count, make);
  std::vector<Example> all;
  for (auto& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  return all;
}

std::vector<NegativeSource> negative_sources(const std::vector<LoadedPhotograph>& with_people,
                                             const std::vector<GreyImage>& without_people,
                                             const TrainingOptions& options) {
  // Enlarged, the photographs without people are as soft as the soft copies: softness is no sign of
  // a person.
  const double soft_scale =
      options.soft_height > 0 ? std::min(1.0, options.soft_height / PersonBox::kHeight) : 1;
  std::vector<NegativeSource> sources;
  for (const LoadedPhotograph& p : with_people) {
    const bool soft = median_height(p.photograph) <= PersonBox::kHeight;
    sources.push_back({&p.image, &p.photograph, options.negative_overlap, soft ? soft_scale : 1});
  }
  for (const GreyImage& image : without_people) sources.push_back({&image, nullptr, 0, soft_scale});
  return sources;
}

/// Negatives that neither push the hyperplane nor come near it are forgotten; should one come near
/// again, the next search finds it.
void forget_easy(std::vector<Example>& examples, std::set<uint64_t>& known) {
  std::erase_if(examples, [&](const Example& e) {
    if (e.person || e.dual > 0) return false;
    known.erase(e.place);
    return true;
  });
}

}  // namespace

std::vector<LoadedPhotograph> load_photographs(const std::vector<Photograph>& photographs) {
  return parallel_map("reading photographs", photographs.size(), [&](std::size_t i) {
    return LoadedPhotograph{photographs[i], load_photograph(photographs[i].path)};
  });
}

std::vector<GreyImage> load_images(const std::vector<std::string>& paths) {
  return parallel_map("reading photographs without people", paths.size(),
                      [&](std::size_t i) { return load_photograph(paths[i]); });
}

FilterBank train_filter_bank(const TrainingData& data, const TrainingOptions& options) {
  // Images as the search sees them. People of the PersonBox's height are found in levels shrunk by
  // the median scale of the people here. Half size is near that scale for photographs of people.
  std::vector<GreyImage> images;
  for (const LoadedPhotograph& p : data.with_people)
    images.push_back(
        resized(p.image, std::max(1, p.image.width / 2), std::max(1, p.image.height / 2)));
  images.insert(images.end(), data.without_people.begin(), data.without_people.end());
  return cluster_patches(sample_patches(images, options.patches, options.seed), options.filters,
                         options.filter_rounds, options.seed);
}

LinearSvm train_classifier(const TrainingData& data, const FilterBank& bank,
                           const TrainingOptions& options) {
  std::vector<LoadedPhotograph> photographs =
      with_soft_copies(data.with_people, options.soft_height);
  std::vector<Example> examples = gather("people", photographs.size(), [&](std::size_t i) {
    Random random(options.seed, kJitter + i);
    return people_of(photographs[i], bank, options, random);
  });
  const std::size_t people = examples.size();
  if (people == 0) throw std::runtime_error("the photographs hold no people to learn from");

  for (LoadedPhotograph& p : photographs) p = with_room(p);
  const std::vector<NegativeSource> sources =
      negative_sources(photographs, data.without_people, options);
  std::set<uint64_t> known;
  const auto add = [&](std::vector<Example> more) {
    for (Example& e : more)
      if (known.insert(e.place).second) examples.push_back(std::move(e));
  };
  add(gather("first negatives", sources.size(), [&](std::size_t i) {
    Random random(options.seed, kFirstNegatives + i);
    return random_negatives(sources[i], i, bank, options.epsilon, options.random_windows, random);
  }));
  if (examples.size() == people)
    throw std::runtime_error("the photographs hold no window without people");

  LinearSvm svm = train_svm(examples, bank.count, options.epsilon, options.svm, options.seed);
  for (int round = 0; round < options.rounds; ++round) {
    forget_easy(examples, known);
    const PackedSvm packed(svm);
    const std::string title = "hard negatives, round " + std::to_string(round + 1);
    const std::size_t before = examples.size();
    add(gather(title, sources.size(), [&](std::size_t i) {
      return hard_negatives(sources[i], i, bank, packed, options.epsilon, options.hard_windows,
                            known);
    }));
    if (examples.size() == before) break;
    svm =
        train_svm(examples, bank.count, options.epsilon, options.svm, options.seed + kSvm + round);
  }
  return svm;
}

std::vector<std::vector<Detection>> cross_validate(const TrainingData& data, const FilterBank* bank,
                                                   const TrainingOptions& options, int folds,
                                                   const ScanOptions& scan) {
  std::vector<std::size_t> order(data.with_people.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(options.seed, kDetectorFolds).shuffle(order);
  std::vector<std::vector<Detection>> found(order.size());
  for (int fold = 0; fold < folds; ++fold) {
    TrainingData part;
    part.without_people = data.without_people;
    std::vector<std::size_t> unseen;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (static_cast<int>(i % folds) == fold)
        unseen.push_back(order[i]);
      else
        part.with_people.push_back(data.with_people[order[i]]);
    }
    const FilterBank own = bank ? *bank : train_filter_bank(part, options);
    const PackedSvm svm(train_classifier(part, own, options));
    auto of_fold = parallel_map(
        "fold " + std::to_string(fold + 1) + " of " + std::to_string(folds), unseen.size(),
        [&](std::size_t i) { return detect(data.with_people[unseen[i]].image, own, svm, scan); });
    for (std::size_t i = 0; i < unseen.size(); ++i) found[unseen[i]] = std::move(of_fold[i]);
  }
  return found;
}

}  // namespace tandem
