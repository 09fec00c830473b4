// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "kernels/util/model_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/training/training_options.h"
#include "pipelines/training/scenes/scene_trainer.h"

namespace tandem {
namespace {

struct TrainScenesSettings {
  std::string images, output;
  int threads = 0;
  SceneTrainingOptions options;
};

TrainScenesSettings parse_scenes_settings(const std::vector<std::string>& arguments) {
  TrainScenesSettings settings;
  SceneTrainingOptions& options = settings.options;
  OptionParser parser(
      "train-scenes",
      "Trains a scene classifier: the words and the SVMs of sceneclassifier. Prints "
      "its accuracy in cross-validation.");
  parser.add("images", settings.images, "DIR", "A folder that holds one folder of pictures a class",
             'i');
  parser.add("output", settings.output, "FILE", "The model file to write", 'o');
  parser.add("seed", options.seed, "N", "Start of all random choices (1)");
  parser.add("words", options.words, "N", "Words of the vocabulary (400)");
  parser.add("samples", options.samples, "N", "Descriptors to learn them from (50000)");
  parser.add("rounds", options.rounds, "N", "Rounds of k-means, at most (15)");
  parser.add("contrast", options.contrast, "X",
             "Least size of a keypoint, of an image in [0, 1] (0.0015)");
  parser.add("cost", options.cost, "X", "C of the SVMs (1.5)");
  parser.add("folds", options.folds, "N", "Folds of the cross-validation (5)");
  parser.add(threads_option(settings.threads));
  parser.parse(arguments);
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  require(!settings.images.empty(), "--images DIR is missing");
  require(!settings.output.empty(), "--output FILE is missing");
  require(options.words >= 2 && options.words <= 65536, "--words must be 2 to 65536");
  require(options.samples >= static_cast<std::size_t>(options.words),
          "--samples must be at least --words");
  require(options.rounds >= 1, "--rounds must be at least 1");
  require(options.contrast > 0 && options.contrast < 1, "--contrast must be in (0, 1)");
  require(options.cost > 0, "--cost must be positive");
  require(options.folds >= 2, "--folds must be at least 2");
  return settings;
}

std::string origin_of(const TrainScenesSettings& settings, std::size_t pictures, double accuracy) {
  const SceneTrainingOptions& o = settings.options;
  std::ostringstream out;
  // A model's texts are UTF-8; names of files may be anything.
  const std::string name = std::filesystem::weakly_canonical(settings.images).filename().string();
  out << "tandem train-scenes; images " << GlibString(g_utf8_make_valid(name.c_str(), -1)).get()
      << ", " << pictures << " pictures; seed " << o.seed << ", words " << o.words << ", samples "
      << o.samples << ", rounds " << o.rounds << ", contrast " << o.contrast << ", cost " << o.cost
      << ", folds " << o.folds << "; accuracy " << accuracy << " in cross-validation";
  return out.str();
}

}  // namespace

int train_scenes_command(const std::vector<std::string>& arguments) {
  const TrainScenesSettings settings = parse_scenes_settings(arguments);
  const SceneTrainingOptions& options = settings.options;
  check_output_file("--output", settings.output);
  gst_init(nullptr, nullptr);
  const tbb::global_control limit = limit_threads(settings.threads);

  const SceneFolder folder = read_scene_folder(settings.images);
  std::printf("%s: %zu classes, %zu pictures\n", settings.images.c_str(), folder.labels.size(),
              folder.files.size());
  std::fflush(stdout);
  if (scene_model_bytes({.words = options.words}, folder.labels.size()) > kMostModelBytes)
    throw Failure("a model of " + std::to_string(options.words) + " words and " +
                      std::to_string(folder.labels.size()) + " classes would be too large",
                  "Give a lower number of --words, or fewer classes.");
  const std::vector<ScenePicture> pictures = load_scenes(folder, scene_describer(options.contrast));

  const auto margins = cross_validate_scenes(pictures, folder.labels, options);
  const Confusion confusion(pictures, margins, static_cast<int>(folder.labels.size()));
  std::fputs(confusion.table(folder.labels).c_str(), stdout);
  std::printf("%d-fold cross-validation: accuracy %.1f%%\n", options.folds,
              100 * confusion.accuracy());

  std::vector<const ScenePicture*> all;
  for (const ScenePicture& picture : pictures) all.push_back(&picture);
  SceneModel model = train_scenes(all, folder.labels, options);
  model.steepness = static_cast<float>(fit_steepness(pictures, margins));
  model.origin = origin_of(settings, pictures.size(), confusion.accuracy());
  save_scene_model(model, settings.output);
  std::printf("wrote %s\n", settings.output.c_str());
  return 0;
}

}  // namespace tandem
