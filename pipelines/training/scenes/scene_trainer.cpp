// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/scene_trainer.h"

#include <cmath>
#include <stdexcept>

#include "kernels/scene_classifier/scene_classifier.h"
#include "pipelines/training/dual_descent.h"
#include "pipelines/training/k_means.h"

namespace tandem {
namespace {

// Streams of random numbers, one a purpose.
enum SceneStream : uint64_t { kSample = 1, kSceneFolds = 1000 };

/// Descriptors of several pictures as [count][kSize].
using DescriptorTable = std::vector<float>;

/// About `samples` descriptors, each with the same chance.
DescriptorTable sample_descriptors(const std::vector<const ScenePicture*>& pictures,
                                   std::size_t samples, uint64_t seed) {
  std::size_t all = 0;
  for (const ScenePicture* picture : pictures) all += picture->descriptors.size();
  const double chance = static_cast<double>(samples) / static_cast<double>(all);
  Random random(seed, kSample);
  DescriptorTable table;
  for (const ScenePicture* picture : pictures)
    for (const SceneDescriptor& d : picture->descriptors)
      if (random.uniform() < chance)
        table.insert(table.end(), std::begin(d.values), std::end(d.values));
  return table;
}

constexpr std::size_t kSize = kSceneDescriptorSize;
float squared_distance(const float* a, const float* b) {
  return sum_in_lanes(kSize, [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

std::vector<float> first_centres(const DescriptorTable& descriptors, int words, Random& random) {
  std::vector<float> centres;
  choose_first_centres(
      descriptors.size() / kSize, words, random,
      [&](std::size_t i) {
        return squared_distance(&descriptors[i * kSize], centres.data() + centres.size() - kSize);
      },
      [&](std::size_t i) {
        const auto from = descriptors.begin() + static_cast<std::ptrdiff_t>(i * kSize);
        centres.insert(centres.end(), from, from + kSize);
      });
  return centres;
}

/// The mean of each word's descriptors.
void move_centres(const DescriptorTable& descriptors, const std::vector<int32_t>& word,
                  std::vector<float>& centres) {
  std::vector<double> sums(centres.size());
  std::vector<int> members(centres.size() / kSize);
  for (std::size_t i = 0; i < word.size(); ++i) {
    double* sum = &sums[static_cast<std::size_t>(word[i]) * kSize];
    for (std::size_t k = 0; k < kSize; ++k) sum[k] += descriptors[i * kSize + k];
    ++members[static_cast<std::size_t>(word[i])];
  }
  for (std::size_t w = 0; w < members.size(); ++w) {
    if (members[w] == 0) continue;
    for (std::size_t k = 0; k < kSize; ++k)
      centres[w * kSize + k] = static_cast<float>(sums[w * kSize + k] / members[w]);
  }
}

/// `words` centres by k-means with Euclidean distances: at most `rounds` rounds. The same for a
/// seed, whatever the number of threads. A centre that loses all its descriptors stays where it is.
SceneVocabulary cluster_descriptors(const DescriptorTable& descriptors, int words, int rounds,
                                    uint64_t seed) {
  const std::size_t count = descriptors.size() / kSize;
  if (count < static_cast<std::size_t>(words))
    throw std::runtime_error("only " + std::to_string(count) + " keypoints for " +
                             std::to_string(words) +
                             " words: give more pictures, a lower --contrast or fewer --words");
  Random random(seed);
  std::vector<float> centres = first_centres(descriptors, words, random);
  Progress progress("words, rounds", rounds);
  std::vector<int32_t> word(count, -1);
  for (int round = 0; round < rounds; ++round) {
    const std::vector<int32_t> before = word;
    const SceneVocabulary vocabulary(centres);
    for_chunks(count, [&](std::size_t begin, std::size_t end, std::size_t) {
      scene_nearest_simd(vocabulary, &descriptors[begin * kSize], static_cast<int>(end - begin),
                         kSize, &word[begin]);
    });
    progress.advance();
    if (word == before) break;
    move_centres(descriptors, word, centres);
  }
  return SceneVocabulary(centres);
}

std::vector<float> bag_of(const std::vector<SceneDescriptor>& descriptors, int height,
                          const SceneModel& model) {
  std::vector<int32_t> counts(model.bag.counts());
  count_words(model.vocabulary, model.bag, height, descriptors, counts.data());
  std::vector<float> bag(model.bag.values());
  fill_bag(counts.data(), model.bag, bag.data());
  return bag;
}

/// One class against all others, as descend() reads it.
struct OneAgainstAll {
  const std::vector<std::vector<float>>& bags;
  const std::vector<int>& labels;
  int label;
  double price;
  std::vector<double> duals = std::vector<double>(bags.size());

  std::size_t size() const { return bags.size(); }
  bool positive(std::size_t i) const { return labels[i] == label; }
  double cost(std::size_t) const { return price; }
  double& dual(std::size_t i) { return duals[i]; }
  float squared_norm(std::size_t i) const { return dot(i, bags[i]); }
  float dot(std::size_t i, const std::vector<float>& weights) const {
    const float* bag = bags[i].data();
    return sum_in_lanes(weights.size(), [&](std::size_t k) { return bag[k] * weights[k]; });
  }
  void add_to(std::size_t i, std::vector<float>& weights, float times) const {
    const float* bag = bags[i].data();
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += times * bag[k];
  }
};

void train_svms(const std::vector<const ScenePicture*>& pictures,
                const SceneTrainingOptions& options, SceneModel& model) {
  std::vector<std::vector<float>> bags(2 * pictures.size());
  std::vector<int> labels(bags.size());
  tbb::parallel_for(std::size_t{0}, pictures.size(), [&](std::size_t i) {
    const ScenePicture& picture = *pictures[i];
    labels[2 * i] = labels[2 * i + 1] = picture.label;
    bags[2 * i] = bag_of(picture.descriptors, picture.height, model);
    bags[2 * i + 1] = bag_of(picture.mirrored, picture.height, model);
  });
  const auto classes = model.labels.size();
  model.weights.resize(classes);
  model.biases.resize(classes);
  Progress progress("SVMs", classes);
  tbb::parallel_for(std::size_t{0}, classes, [&](std::size_t c) {
    OneAgainstAll examples{bags, labels, static_cast<int>(c), options.cost};
    Hyperplane plane = descend(examples, model.bag.values(), {}, options.seed + c, [](double) {});
    model.weights[c] = std::move(plane.weights);
    model.biases[c] = plane.bias;
    progress.advance();
  });
}

/// The fold of each picture.
std::vector<int> deal_out(const std::vector<ScenePicture>& pictures,
                          const std::vector<std::string>& labels, int folds, uint64_t seed) {
  std::vector<int> fold_of(pictures.size());
  for (std::size_t c = 0; c < labels.size(); ++c) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < pictures.size(); ++i)
      if (pictures[i].label == static_cast<int>(c)) members.push_back(i);
    if (members.size() < static_cast<std::size_t>(folds))
      throw std::runtime_error("class '" + labels[c] + "' has " + std::to_string(members.size()) +
                               " pictures, fewer than the " + std::to_string(folds) +
                               " folds of the cross-validation: give more, or fewer --folds");
    Random(seed, kSceneFolds + c).shuffle(members);
    for (std::size_t k = 0; k < members.size(); ++k)
      fold_of[members[k]] = static_cast<int>(k) % folds;
  }
  return fold_of;
}

double log_likelihood(const std::vector<ScenePicture>& pictures,
                      const std::vector<std::vector<float>>& margins, double steepness) {
  double sum = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i)
    sum += std::log(class_confidence(margins[i].data(), static_cast<int>(margins[i].size()),
                                     steepness, pictures[i].label));
  return sum;
}

}  // namespace

SceneModel train_scenes(const std::vector<const ScenePicture*>& pictures,
                        const std::vector<std::string>& labels,
                        const SceneTrainingOptions& options) {
  SceneModel model;
  model.contrast = options.contrast;
  model.labels = labels;
  model.bag.words = options.words;
  model.vocabulary =
      cluster_descriptors(sample_descriptors(pictures, options.samples, options.seed),
                          options.words, options.rounds, options.seed);
  train_svms(pictures, options, model);
  return model;
}

std::vector<float> margins_of(const SceneModel& model, const ScenePicture& picture) {
  std::vector<float> margins(model.labels.size());
  scene_margins(model, bag_of(picture.descriptors, picture.height, model).data(), margins.data());
  return margins;
}

std::vector<std::vector<float>> cross_validate_scenes(const std::vector<ScenePicture>& pictures,
                                                      const std::vector<std::string>& labels,
                                                      const SceneTrainingOptions& options) {
  const std::vector<int> fold_of = deal_out(pictures, labels, options.folds, options.seed);
  std::vector<std::vector<float>> margins(pictures.size());
  for (int fold = 0; fold < options.folds; ++fold) {
    std::vector<const ScenePicture*> others;
    std::vector<std::size_t> unseen;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      if (fold_of[i] == fold)
        unseen.push_back(i);
      else
        others.push_back(&pictures[i]);
    }
    const SceneModel model = train_scenes(others, labels, options);
    tbb::parallel_for(std::size_t{0}, unseen.size(), [&](std::size_t k) {
      margins[unseen[k]] = margins_of(model, pictures[unseen[k]]);
    });
  }
  return margins;
}

double fit_steepness(const std::vector<ScenePicture>& pictures,
                     const std::vector<std::vector<float>>& margins) {
  // The likelihood is concave in the steepness: golden sections of its logarithm.
  constexpr double kGolden = 0.6180339887498949;
  constexpr int kSections = 60;
  double low = std::log(0.01), high = std::log(1000.0);
  const auto likelihood = [&](double logarithm) {
    return log_likelihood(pictures, margins, std::exp(logarithm));
  };
  for (int i = 0; i < kSections; ++i) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (likelihood(a) < likelihood(b))
      low = a;
    else
      high = b;
  }
  return std::exp((low + high) / 2);
}

}  // namespace tandem
