// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <tbb/parallel_for.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/training/training_options.h"
#include "pipelines/training/scenes/scene_trainer.h"

namespace tandem {
namespace {

struct EvaluateScenesSettings {
  std::string images, model, json;
  int threads = 0;
};

EvaluateScenesSettings parse_evaluate_settings(const std::vector<std::string>& arguments) {
  EvaluateScenesSettings settings;
  OptionParser parser("evaluate-scenes",
                      "Prints how often a scene classifier is right on pictures sorted into "
                      "classes.");
  parser.add("images", settings.images, "DIR",
             "A folder that holds a folder of pictures for each class", 'i');
  parser.add("model", settings.model, "FILE", "The model to evaluate", 'm');
  parser.add("json", settings.json, "FILE", "Write the results; - is standard output");
  parser.add(threads_option(settings.threads));
  parser.parse(arguments);
  if (settings.images.empty()) throw UsageError("--images DIR is missing");
  if (settings.model.empty()) throw UsageError("--model FILE is missing");
  return settings;
}

std::string to_json(const EvaluateScenesSettings& settings, const SceneModel& model,
                    const Confusion& confusion) {
  using nlohmann::json;
  json classes = json::array();
  for (int c = 0; c < confusion.classes(); ++c) {
    json taken_for = json::object();
    for (int k = 0; k < confusion.classes(); ++k)
      taken_for[model.labels[k]] = confusion.count(c, k);
    const std::optional<double> accuracy = confusion.accuracy(c);
    classes.push_back({{"label", model.labels[c]},
                       {"pictures", confusion.pictures(c)},
                       {"accuracy", accuracy ? json(*accuracy) : json()},
                       {"taken_for", taken_for},
                       {"unlabelled", confusion.unlabelled(c)}});
  }
  int pictures = 0;
  for (int c = 0; c < confusion.classes(); ++c) pictures += confusion.pictures(c);
  // Names of folders and files may be anything; JSON is UTF-8.
  return json{{"images", settings.images},
              {"model", settings.model},
              {"pictures", pictures},
              {"accuracy", confusion.accuracy()},
              {"mean_accuracy", confusion.mean_accuracy()},
              {"classes", classes}}
             .dump(2, ' ', false, json::error_handler_t::replace) +
         '\n';
}

}  // namespace

int evaluate_scenes_command(const std::vector<std::string>& arguments) {
  const EvaluateScenesSettings settings = parse_evaluate_settings(arguments);
  claim_input(settings.model);
  std::optional<TextOutput> results;
  if (!settings.json.empty()) results.emplace("--json", settings.json);
  gst_init(nullptr, nullptr);
  const tbb::global_control limit = limit_threads(settings.threads);
  const SceneModel model = load_scene_model(settings.model);
  SceneFolder folder = read_scene_folder(settings.images, 1);
  const std::size_t classes = folder.labels.size();
  use_labels(folder, model.labels);
  std::printf("%s: %zu of the model's %d classes, %zu pictures\n", settings.images.c_str(), classes,
              model.classes(), folder.files.size());
  std::fflush(stdout);

  const std::vector<ScenePicture> pictures =
      load_scenes(folder, scene_describer(model.contrast), MirrorImages::kLeaveOut);
  std::vector<std::vector<float>> margins(pictures.size());
  tbb::parallel_for(std::size_t{0}, pictures.size(),
                    [&](std::size_t i) { margins[i] = margins_of(model, pictures[i]); });
  const Confusion confusion(pictures, margins, model.classes());
  std::fputs(confusion.table(model.labels).c_str(), stdout);
  std::printf("accuracy %.1f%% of %zu pictures, mean of the classes %.1f%%\n",
              100 * confusion.accuracy(), pictures.size(), 100 * confusion.mean_accuracy());
  if (results) results->write(to_json(settings, model, confusion));
  return 0;
}

}  // namespace tandem
