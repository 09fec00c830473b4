// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/scene_model.h"

#include <algorithm>
#include <cmath>

#include "files/utf8.h"
#include "kernels/util/model_file.h"

// Layout, little endian:
//   "TANDEMSCENE\0"                            12 bytes
//   u32 version, words, stripes, directions, classes, bytes of the labels, bytes of the origin
//   f32 contrast, steepness
//   labels, each ended by a line feed; origin
//   f32 words * 128 of the vocabulary; for each class weights (as many as a bag has values), bias
//   u64 FNV-1a of everything above
namespace tandem {
namespace {

constexpr ModelFormat kFormat{std::string_view("TANDEMSCENE\0", 12), 1,
                              "a Tandem scene model (made by tandem train-scenes)"};
constexpr std::size_t kHeaderBytes = 6 * 4 + 2 * 4;  // behind the version

struct Header {
  uint32_t words, stripes, directions, classes, label_bytes, origin_bytes;

  bool possible() const {
    return words >= 1 && words <= 65536 && stripes >= 1 && stripes <= 64 && directions >= 1 &&
           directions <= 64 && classes >= 2 && classes <= 1024 && label_bytes <= kMostModelText &&
           origin_bytes <= kMostModelText;
  }
  SceneBag bag() const {
    return {static_cast<int>(words), static_cast<int>(stripes), static_cast<int>(directions)};
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

bool consistent(const SceneModel& model) {
  const auto classes = model.labels.size();
  return model.bag.words == model.vocabulary.words && model.weights.size() == classes &&
         model.biases.size() == classes &&
         std::all_of(model.weights.begin(), model.weights.end(),
                     [&](const auto& w) { return w.size() == model.bag.values(); });
}

}  // namespace

void scene_margins(const SceneModel& model, const float* bag, float* margins) {
  constexpr std::size_t kLanes = 16;  // sums side by side, for vectors
  const std::size_t size = model.bag.values();
  for (int c = 0; c < model.classes(); ++c) {
    const float* weights = model.weights[c].data();
    float sums[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        sums[lane] += bag[i + lane] * weights[i + lane];
    float sum = model.biases[c];
    for (; i < size; ++i) sum += bag[i] * weights[i];
    for (const float lane : sums) sum += lane;
    margins[c] = sum;
  }
}

int best_class(const float* margins, int classes) {
  return static_cast<int>(std::max_element(margins, margins + classes) - margins);
}

double class_confidence(const float* margins, int classes, double steepness, int c) {
  double sum = 0;
  for (int k = 0; k < classes; ++k)
    sum += std::exp(steepness * (double{margins[k]} - double{margins[c]}));
  return 1 / sum;
}

std::size_t scene_model_bytes(const SceneBag& bag, std::size_t classes) {
  const std::size_t words = static_cast<std::size_t>(bag.words) * kSceneDescriptorSize;
  return kFormat.magic.size() + sizeof kFormat.version + kHeaderBytes + sizeof(uint64_t) +
         4 * (words + classes * (bag.values() + 1));
}

SceneModel load_scene_model(const std::string& path) {
  ModelReader in(path, kFormat, kHeaderBytes);
  const Header header = in.value<Header>();
  if (!header.possible())
    in.fail("has impossible sizes in its header: it is damaged, copy it again");
  const std::size_t words = std::size_t{header.words} * kSceneDescriptorSize;
  const std::size_t class_floats = std::size_t{header.classes} * (header.bag().values() + 1);
  in.check_size(header.label_bytes + header.origin_bytes + 4 * (words + class_floats));

  SceneModel model;
  model.contrast = in.finite();
  model.steepness = in.finite();
  if (model.contrast <= 0 || model.steepness <= 0)
    in.fail("has a contrast or a steepness that is not positive; train it again");
  model.bag = header.bag();
  model.labels = lines_of(in.text(header.label_bytes, "a label"));
  if (model.labels.size() != header.classes)
    in.fail("names " + std::to_string(model.labels.size()) + " of its " +
            std::to_string(header.classes) + " classes; train it again");
  model.origin = in.text(header.origin_bytes, "an origin");
  model.vocabulary = SceneVocabulary(in.floats(words));
  for (uint32_t c = 0; c < header.classes; ++c) {
    model.weights.push_back(in.floats(header.bag().values()));
    model.biases.push_back(in.finite());
  }
  return model;
}

void save_scene_model(const SceneModel& model, const std::string& path) {
  std::string labels;
  for (const std::string& label : model.labels) {
    if (label.find('\n') != std::string::npos)
      fail_model(path, "was not written: the name of a class has two lines");
    labels += label + '\n';
  }
  if (!is_utf8(labels) || !is_utf8(model.origin))
    fail_model(path, "was not written: the name of a class or its origin is not UTF-8");
  const Header header{
      static_cast<uint32_t>(model.vocabulary.words), static_cast<uint32_t>(model.bag.stripes),
      static_cast<uint32_t>(model.bag.directions),   static_cast<uint32_t>(model.labels.size()),
      static_cast<uint32_t>(labels.size()),          static_cast<uint32_t>(model.origin.size())};
  if (!header.possible() || !consistent(model))
    fail_model(path,
               "was not written: its words, cells, classes or texts are too few, too many or "
               "do not belong together");
  ModelWriter out(kFormat);
  out.value(header);
  out.value(model.contrast);
  out.value(model.steepness);
  out.text(labels);
  out.text(model.origin);
  out.floats(model.vocabulary.values());
  for (std::size_t c = 0; c < model.weights.size(); ++c) {
    out.floats(model.weights[c]);
    out.value(model.biases[c]);
  }
  out.save(path);
}

}  // namespace tandem
