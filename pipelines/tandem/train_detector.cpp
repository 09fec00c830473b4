// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <tbb/global_control.h>

#include <cstdio>
#include <filesystem>
#include <thread>

#include "pipelines/tandem/commands.h"
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

}  // namespace

int train_detector_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> positives, negatives;
  std::string output;
  double precision = 0.8;
  TrainingOptionValues values;
  OptionParser parser("train-detector",
                      "Trains a person detector: the filter bank of vividfilter and the SVM of "
                      "vividclassifier.");
  parser.add(
      "positives", positives, "DIR",
      "Photographs with boxes of people: a Penn-Fudan or MOTChallenge folder; may be repeated",
      'p');
  parser.add("negatives", negatives, "DIR",
             "Photographs without people, in any folder below; may be repeated", 'n');
  parser.add("output", output, "FILE", "The model file to write", 'o');
  parser.add("precision", precision, "X",
             "Precision in cross-validation that sets the model's threshold (0.8)");
  for (Option& one : values.options()) parser.add(std::move(one));
  parser.parse(arguments);
  if (positives.empty()) throw UsageError("--positives DIR is missing");
  if (output.empty()) throw UsageError("--output FILE is missing");
  if (!(precision > 0 && precision <= 1)) throw UsageError("--precision must be in (0, 1]");
  const TrainingOptions options = values.checked();
  gst_init(nullptr, nullptr);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  values.threads > 0
                                      ? static_cast<std::size_t>(values.threads)
                                      : std::max(1u, std::thread::hardware_concurrency()));

  const TrainingData data = load(positives, negatives);
  VividModel model;
  model.bank = train_filter_bank(data, options);
  const CurvePoint threshold = choose_threshold(data, model.bank, options, precision);
  model.svm = train_classifier(data, model.bank, options);
  model.default_threshold = threshold.score;
  model.origin = "tandem train-detector; positives " + folder_names(positives) + "; negatives " +
                 folder_names(negatives) + "; " + values.described();
  save_vivid_model(model, output);
  std::printf("threshold %.3f: precision %.3f, recall %.3f in cross-validation\nwrote %s\n",
              threshold.score, threshold.precision, threshold.recall, output.c_str());
  return 0;
}

}  // namespace tandem
