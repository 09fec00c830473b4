// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scene_pictures.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "pipelines/progress.h"
#include "pipelines/training/window.h"

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

ScenePicture described(int label, const GreyImage& picture, const DescribePicture& describe) {
  return {label, picture.width, picture.height, describe(picture), describe(mirrored(picture))};
}

}  // namespace

SceneFolder read_scene_folder(const std::string& folder) {
  SceneFolder found;
  for (const fs::path& path : folders_in(folder)) {
    const std::vector<std::string> pictures = photographs_below(path.string());
    if (pictures.empty())
      throw std::runtime_error("the class folder '" + path.string() +
                               "' holds no pictures: put some in, or take it away");
    const auto label = static_cast<int>(found.labels.size());
    found.labels.push_back(path.filename().string());
    for (const std::string& picture : pictures) found.files.push_back({picture, label});
  }
  if (found.labels.size() < 2)
    throw std::runtime_error("'" + folder + "' holds " +
                             (found.labels.empty() ? "no class" : "only one class") +
                             ": it should hold one folder of pictures for each of at least two");
  return found;
}

DescribePicture scene_describer(float contrast) {
  return [contrast](const GreyImage& picture) {
    const SceneLayout layout{picture.width, picture.height};
    const std::vector<float> space = scene_features(picture.plane());
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

std::vector<ScenePicture> load_scenes(const SceneFolder& folder, const DescribePicture& describe) {
  std::vector<std::optional<ScenePicture>> loaded(folder.files.size());
  std::vector<std::string> problems(folder.files.size());
  {
    Progress progress("reading and describing pictures", folder.files.size());
    tbb::parallel_for(std::size_t{0}, folder.files.size(), [&](std::size_t i) {
      const SceneFolder::File& file = folder.files[i];
      try {
        loaded[i] = described(file.label, scene_sized(load_photograph(file.path)), describe);
      } catch (const std::runtime_error& e) {
        problems[i] = e.what();
      }
      progress.advance();
    });
  }
  for (const std::string& problem : problems)
    if (!problem.empty()) std::fprintf(stderr, "left out: %s\n", problem.c_str());

  std::vector<ScenePicture> pictures;
  std::vector<int> count(folder.labels.size());
  for (auto& picture : loaded) {
    if (!picture) continue;
    ++count[static_cast<std::size_t>(picture->label)];
    pictures.push_back(std::move(*picture));
  }
  for (std::size_t c = 0; c < count.size(); ++c)
    if (count[c] == 0)
      throw std::runtime_error("no picture of class '" + folder.labels[c] + "' can be read");
  return pictures;
}

}  // namespace tandem
