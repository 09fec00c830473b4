// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/scene_classifier/bag.h"
#include "pipelines/training/dataset/photograph.h"

namespace tandem {

/// Pictures sorted into classes.
struct SceneFolder {
  struct File {
    std::string path;
    int label;  ///< index of its class
  };
  std::vector<std::string> labels;  ///< names of the classes' folders, sorted
  std::vector<File> files;          ///< class by class, sorted by path
};

/// Finds the pictures of a folder whose folders are the classes, at least so many; pictures are
/// left unread. Throws std::runtime_error with the folder and its expected content.
SceneFolder read_scene_folder(const std::string& folder, std::size_t least_classes = 2);

/// Makes `labels` the classes of `folder`; those that have no folder have no files. Throws
/// std::runtime_error when a folder's name is none of them.
void use_labels(SceneFolder& folder, const std::vector<std::string>& labels);

/// The features of one picture that a classifier learns from.
struct ScenePicture {
  int label = 0;
  int width = 0, height = 0;  ///< pixels
  std::vector<SceneDescriptor> descriptors;
  std::vector<SceneDescriptor> mirrored;  ///< with left and right exchanged
};

/// Keypoints and descriptors of a picture. Called from many threads.
using DescribePicture = std::function<std::vector<SceneDescriptor>(const GreyImage& picture)>;

/// Stages 1 and 2, up to the descriptors.
DescribePicture scene_describer(float contrast);

/// Pixels of the shorter side that pictures are brought to.
inline constexpr int kSceneSide = 256;

/// At a size at which its shorter side has kSceneSide pixels.
GreyImage scene_sized(const GreyImage& picture);

enum class MirrorImages { kDescribe, kLeaveOut };

/// Reads and describes pictures in parallel, with a progress line. Those that cannot be read are
/// left out, with a warning on stderr. Throws std::runtime_error when a class that has files has
/// none left.
std::vector<ScenePicture> load_scenes(const SceneFolder& folder, const DescribePicture& describe,
                                      MirrorImages mirror = MirrorImages::kDescribe);

}  // namespace tandem
