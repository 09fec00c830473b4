// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/scene_model.h"

#include <filesystem>

#include "kernels/scene_classifier/scene_model.h"
#include "tests/gst/support/frames.h"

namespace tandem::test {

const std::string& scene_model_file() {
  static const std::string path = [] {
    SceneModel model;
    uint32_t state = 1;
    const auto next = [&] {
      state = state * 1664525 + 1013904223;
      return static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
    };
    model.contrast = 0.002f;
    model.steepness = 2;
    model.bag = {40, 3, 8};
    std::vector<float> words;
    for (int i = 0; i < 40 * kSceneDescriptorSize; ++i) words.push_back(0.2f * next());
    model.vocabulary = SceneVocabulary(words);
    for (const char* label : {"coast", "forest", "street"}) {
      model.labels.emplace_back(label);
      std::vector<float>& weights = model.weights.emplace_back();
      for (std::size_t i = 0; i < model.bag.values(); ++i) weights.push_back(next() - 0.5f);
      model.biases.push_back(next() - 0.5f);
    }
    const std::string file =
        std::filesystem::path(model_file()).replace_filename("scenes.scene").string();
    save_scene_model(model, file);
    return file;
  }();
  return path;
}

}  // namespace tandem::test
