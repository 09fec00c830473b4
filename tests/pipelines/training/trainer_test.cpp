// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/trainer.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <iterator>

#include "kernels/vivid_classifier/vivid_model.h"
#include "pipelines/training/evaluation/average_precision.h"
#include "pipelines/training/random.h"
#include "tests/pipelines/training/figures.h"
#include "tests/pipelines/training/folder.h"

namespace tandem {
namespace {

TrainingData figures(int photographs) {
  Random random(3);
  TrainingData data;
  for (int i = 0; i < photographs; ++i) {
    LoadedPhotograph p{{"figure", "", {}, {}}, noise(220, 200, random)};
    const float height = 96 + static_cast<float>(random.below(20));
    p.photograph.objects.push_back({30 + static_cast<float>(random.below(80)), 40,
                                    std::round(height * 0.4f), std::round(height)});
    draw_figure(p.image, p.photograph.objects[0]);
    data.with_people.push_back(std::move(p));
    data.without_people.push_back(noise(150, 180, random));
  }
  return data;
}

TrainingOptions small() {
  TrainingOptions options;
  options.filters = 8;
  options.patches = 5000;
  options.filter_rounds = 4;
  options.rounds = 1;
  options.jitters = 1;
  options.random_windows = 4;
  return options;
}

std::string model_bytes(const TrainingData& data, std::size_t threads, uint64_t seed,
                        const Folder& folder) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  TrainingOptions options = small();
  options.seed = seed;
  VividModel model;
  model.bank = train_filter_bank(data, options);
  model.svm = train_classifier(data, model.bank, options);
  save_vivid_model(model, folder / "m.vivid");
  std::ifstream file(folder / "m.vivid", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(Trainer, TheModelFollowsFromTheSeedWhateverTheThreads) {
  const Folder folder;
  const TrainingData data = figures(6);
  const std::string first = model_bytes(data, 1, 1, folder);
  EXPECT_EQ(first, model_bytes(data, 4, 1, folder));
  EXPECT_NE(first, model_bytes(data, 4, 2, folder));
}

TEST(Trainer, FindsFiguresThatItHasNotSeen) {
  const TrainingData data = figures(12);
  ScanOptions scan;
  scan.threshold = -1;
  const auto found = cross_validate(data, nullptr, small(), 3, scan);
  std::vector<Photograph> photographs;
  for (const LoadedPhotograph& p : data.with_people) photographs.push_back(p.photograph);
  EXPECT_GT(evaluate(photographs, found, 0.5f).average_precision, 0.9);
}

TEST(Trainer, SaysThatThereIsNobodyToLearnFrom) {
  TrainingData data = figures(2);
  for (LoadedPhotograph& p : data.with_people) p.photograph.objects.clear();
  const FilterBank bank = train_filter_bank(data, small());
  EXPECT_NE(error_of([&] { train_classifier(data, bank, small()); }).find("no people"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem
