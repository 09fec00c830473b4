// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/scene_pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "files/utf8.h"
#include "pipelines/training/detector/window.h"
#include "pipelines/training/parallel.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const std::string& folder) {
  if (!fs::is_directory(folder))
    throw std::runtime_error("there is no folder '" + folder +
                             "'; it should hold one folder of pictures for each class");
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && !entry.path().filename().string().starts_with("."))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

ScenePicture described(int label, const GreyImage& picture, const DescribePicture& describe,
                       MirrorImages mirror) {
  ScenePicture scene{label, picture.width, picture.height, describe(picture), {}};
  if (mirror == MirrorImages::kDescribe) scene.mirrored = describe(mirrored(picture));
  return scene;
}

}  // namespace

SceneFolder read_scene_folder(const std::string& folder, std::size_t least_classes) {
  SceneFolder found;
  for (const fs::path& path : folders_in(folder)) {
    const std::vector<std::string> pictures = photographs_below(path.string());
    if (pictures.empty())
      throw std::runtime_error("the class folder '" + path.string() +
                               "' holds no pictures: put some in, or take it away");
    const auto label = static_cast<int>(found.labels.size());
    found.labels.push_back(path.filename().string());
    // They become the labels of a model and of metadata.
    if (!is_utf8(found.labels.back()) || found.labels.back().find('\n') != std::string::npos)
      throw std::runtime_error("the name of the class folder '" + path.string() +
                               "' is not one line of UTF-8: rename it");
    for (const std::string& picture : pictures) found.files.push_back({picture, label});
  }
  if (found.labels.size() < least_classes)
    throw std::runtime_error("'" + folder + "' holds " +
                             (found.labels.empty() ? "no class" : "only one class") +
                             ": it should hold one folder of pictures for each of at least " +
                             (least_classes == 1 ? "one" : "two"));
  return found;
}

void use_labels(SceneFolder& folder, const std::vector<std::string>& labels) {
  std::vector<int> number_of;
  for (const std::string& label : folder.labels) {
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end()) {
      std::string known;
      for (const std::string& one : labels) known += (known.empty() ? "" : ", ") + one;
      throw std::runtime_error("the model has no class '" + label + "'; its classes are " + known +
                               ": name the folders so, or take this one away");
    }
    number_of.push_back(static_cast<int>(found - labels.begin()));
  }
  for (SceneFolder::File& file : folder.files)
    file.label = number_of[static_cast<std::size_t>(file.label)];
  folder.labels = labels;
}

DescribePicture scene_describer(float contrast) {
  return [contrast](const GreyImage& picture) {
    const SceneLayout layout{picture.width, picture.height};
    const std::vector<Half> space = scene_features(picture.plane());
    std::vector<SceneDescriptor> descriptors;
    describe_scene(layout, space.data(), contrast, {0, layout.height_of(0)}, descriptors);
    return descriptors;
  };
}

GreyImage scene_sized(const GreyImage& picture) {
  const double scale = static_cast<double>(kSceneSide) / std::min(picture.width, picture.height);
  const auto scaled = [scale](int size) { return static_cast<int>(std::lround(scale * size)); };
  return resized(picture, scaled(picture.width), scaled(picture.height));
}

std::vector<ScenePicture> load_scenes(const SceneFolder& folder, const DescribePicture& describe,
                                      MirrorImages mirror) {
  std::vector<std::string> problems(folder.files.size());
  auto loaded = parallel_map(
      "reading and describing pictures", folder.files.size(),
      [&](std::size_t i) -> std::optional<ScenePicture> {
        const SceneFolder::File& file = folder.files[i];
        try {
          return described(file.label, scene_sized(load_photograph(file.path)), describe, mirror);
        } catch (const std::runtime_error& e) {
          problems[i] = e.what();
          return {};
        }
      });
  for (const std::string& problem : problems)
    if (!problem.empty()) std::fprintf(stderr, "left out: %s\n", problem.c_str());

  std::vector<ScenePicture> pictures;
  std::vector<int> expected(folder.labels.size()), count(folder.labels.size());
  for (const SceneFolder::File& file : folder.files)
    ++expected[static_cast<std::size_t>(file.label)];
  for (auto& picture : loaded) {
    if (!picture) continue;
    ++count[static_cast<std::size_t>(picture->label)];
    pictures.push_back(std::move(*picture));
  }
  for (std::size_t c = 0; c < count.size(); ++c)
    if (count[c] == 0 && expected[c] > 0)
      throw std::runtime_error("no picture of class '" + folder.labels[c] + "' can be read");
  return pictures;
}

}  // namespace tandem
