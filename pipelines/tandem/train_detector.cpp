// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/train_detector.h"

#include <tbb/global_control.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "pipelines/tandem/command_line.h"
#include "pipelines/tandem/training_options.h"
#include "pipelines/training/average_precision.h"
#include "pipelines/training/trainer.h"

namespace tandem {
namespace {

constexpr int kThresholdFolds = 3;
constexpr float kMinOverlap = 0.5f;

std::string folder_names(const std::vector<std::string>& folders) {
  std::string names;
  for (const std::string& folder : folders)
    names +=
        (names.empty() ? "" : " ") + std::filesystem::weakly_canonical(folder).filename().string();
  return names;
}

TrainingData load(const std::vector<std::string>& positives,
                  const std::vector<std::string>& negatives) {
  std::vector<Photograph> photographs;
  for (const std::string& folder : positives) {
    Dataset dataset = read_dataset(folder);
    std::size_t people = 0;
    for (Photograph& p : dataset.photographs) {
      people += p.people.size();
      photographs.push_back(std::move(p));
    }
    std::printf("%s: %s, %zu photographs, %zu people\n", folder.c_str(), dataset.layout.c_str(),
                dataset.photographs.size(), people);
  }
  std::vector<std::string> paths;
  for (const std::string& folder : negatives) {
    const std::vector<std::string> some = photographs_below(folder);
    if (some.empty()) throw std::runtime_error("folder '" + folder + "' holds no photographs");
    std::printf("%s: %zu photographs without people\n", folder.c_str(), some.size());
    paths.insert(paths.end(), some.begin(), some.end());
  }
  std::fflush(stdout);
  return {load_photographs(photographs), load_images(paths)};
}

/// The lowest score whose precision is at least `precision` in photographs that the training has
/// not seen.
CurvePoint choose_threshold(const TrainingData& data, const FilterBank& bank,
                            const TrainingOptions& options, double precision) {
  ScanOptions scan;
  scan.threshold = -1;
  const auto found = cross_validate(data, &bank, options, kThresholdFolds, scan);
  std::vector<Photograph> photographs;
  for (const LoadedPhotograph& p : data.with_people) photographs.push_back(p.photograph);
  const Evaluation evaluation = evaluate(photographs, found, kMinOverlap);
  CurvePoint chosen{0, 0, 0};
  for (const CurvePoint& point : evaluation.curve)
    if (point.precision >= precision) chosen = point;
  std::printf("%d-fold cross-validation: average precision %.3f\n", kThresholdFolds,
              evaluation.average_precision);
  return chosen;
}

void train(int argc, char** argv) {
  StringsOption positives, negatives;
  StringOption output;
  double precision = 0.8;
  TrainingOptionValues values;
  std::vector<GOptionEntry> entries = values.entries();
  entries.insert(
      entries.begin(),
      {{"positives", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &positives.values,
        "Photographs with boxes of people: a Penn-Fudan or MOTChallenge folder; may be repeated",
        "DIR"},
       {"negatives", 'n', 0, G_OPTION_ARG_FILENAME_ARRAY, &negatives.values,
        "Photographs without people, in any folder below; may be repeated", "DIR"},
       {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output.value, "The model file to write", "FILE"},
       {"precision", 0, 0, G_OPTION_ARG_DOUBLE, &precision,
        "Precision in cross-validation that sets the model's threshold (0.8)", "X"}});
  entries.push_back({});
  parse_options(argc, argv, "--positives DIR --output FILE",
                "Trains a person detector: the filter bank of vividfilter and the SVM of "
                "vividclassifier.",
                entries.data());
  if (!positives.values) throw UsageError("--positives DIR is missing");
  if (!output) throw UsageError("--output FILE is missing");
  if (precision <= 0 || precision > 1) throw UsageError("--precision must be in (0, 1]");
  const TrainingOptions options = values.checked();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  values.threads > 0
                                      ? static_cast<std::size_t>(values.threads)
                                      : std::max(1u, std::thread::hardware_concurrency()));

  const TrainingData data = load(positives.all(), negatives.all());
  VividModel model;
  model.bank = train_filter_bank(data, options);
  const CurvePoint threshold = choose_threshold(data, model.bank, options, precision);
  model.svm = train_classifier(data, model.bank, options);
  model.default_threshold = threshold.score;
  model.origin = "tandem train-detector; positives " + folder_names(positives.all()) +
                 "; negatives " + folder_names(negatives.all()) + "; " + values.described();
  save_vivid_model(model, output.str());
  std::printf("threshold %.3f: precision %.3f, recall %.3f in cross-validation\nwrote %s\n",
              threshold.score, threshold.precision, threshold.recall, output.value);
}

}  // namespace

int train_detector_main(int argc, char** argv) {
  return run_command("train-detector", [&] { train(argc, argv); });
}

}  // namespace tandem
