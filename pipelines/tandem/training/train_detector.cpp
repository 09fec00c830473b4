// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "pipelines/formatted.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/training/training_options.h"
#include "pipelines/training/detector/trainer.h"
#include "pipelines/training/evaluation/average_precision.h"

namespace tandem {
namespace {

constexpr int kThresholdFolds = 3;
constexpr float kMinOverlap = 0.5f;

std::string folder_names(const std::vector<std::string>& folders) {
  std::string names;
  for (const std::string& folder : folders) {
    if (!names.empty()) names += ' ';
    names += std::filesystem::weakly_canonical(folder).filename().string();
  }
  // A model's texts are UTF-8; names of files may be anything.
  return GlibString(g_utf8_make_valid(names.c_str(), -1)).get();
}

TrainingData load(const std::vector<std::string>& positives,
                  const std::vector<std::string>& negatives, const DatasetOptions& read) {
  std::vector<Photograph> photographs;
  for (const std::string& folder : positives) {
    Dataset dataset = read_dataset(folder, read);
    std::size_t objects = 0;
    for (Photograph& p : dataset.photographs) {
      objects += p.objects.size();
      photographs.push_back(std::move(p));
    }
    std::printf("%s: %s, %zu photographs, %zu boxes of '%s'\n", folder.c_str(),
                dataset.layout.c_str(), dataset.photographs.size(), objects, read.label.c_str());
  }
  std::vector<std::string> paths;
  for (const std::string& folder : negatives) {
    const std::vector<std::string> some = photographs_below(folder);
    if (some.empty()) throw std::runtime_error("folder '" + folder + "' holds no photographs");
    std::printf("%s: %zu photographs without one\n", folder.c_str(), some.size());
    paths.insert(paths.end(), some.begin(), some.end());
  }
  std::fflush(stdout);
  return {load_photographs(photographs), load_images(paths)};
}

/// The lowest score whose precision is at least `precision` in photographs that the training has
/// not seen. Throws Failure when there is none: such a detector is of no use.
CurvePoint choose_threshold(const TrainingData& data, const FilterBank& bank,
                            const TrainingOptions& options, double precision,
                            const std::string& label) {
  ScanOptions scan;
  scan.threshold = -1;
  const auto found = cross_validate(data, &bank, options, kThresholdFolds, scan);
  std::vector<Photograph> photographs;
  for (const LoadedPhotograph& p : data.with_people) photographs.push_back(p.photograph);
  const Evaluation evaluation = evaluate(photographs, found, kMinOverlap);
  std::printf("%d-fold cross-validation: average precision %.3f\n", kThresholdFolds,
              evaluation.average_precision);
  std::fflush(stdout);
  std::optional<CurvePoint> chosen, most_precise;
  for (const CurvePoint& point : evaluation.curve) {
    if (point.recall > 0 && point.precision >= precision) chosen = point;
    if (point.recall > 0 && (!most_precise || point.precision > most_precise->precision))
      most_precise = point;
  }
  if (chosen) return *chosen;
  const std::string reached = most_precise
                                  ? formatted("at best %.3f, which finds %.3f of them",
                                              most_precise->precision, most_precise->recall)
                                  : "it finds none of them";
  throw Failure(
      "no model was written: in cross-validation the detector of '" + label +
          "' reaches a precision of " + formatted("%g", precision) + " at no threshold; " + reached,
      "Give more photographs, or a lower --precision. The window of the detector is " +
          std::to_string(VividWindow::kWidth) + "x" + std::to_string(VividWindow::kHeight) +
          " pixels: it finds what is upright and mostly looks alike.");
}

}  // namespace

int train_detector_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> positives, negatives;
  std::string output;
  double precision = 0.8;
  TrainingOptions options;
  int threads = 0;
  DatasetOptions read;
  OptionParser parser("train-detector",
                      "Trains a detector of people or another class, for vividfilter and "
                      "vividclassifier.");
  parser.add("positives", positives, "DIR", "A dataset: photographs with boxes; may be repeated",
             'p');
  for (Option& one : dataset_options(read)) parser.add(std::move(one));
  parser.add("negatives", negatives, "DIR",
             "Photographs without the class, in any folder below; may be repeated", 'n');
  parser.add("output", output, "FILE", "The model file to write", 'o');
  parser.add("precision", precision, "X",
             "Precision in cross-validation that sets the model's threshold (0.8)");
  for (Option& one : training_options(options)) parser.add(std::move(one));
  parser.add(threads_option(threads));
  parser.parse(arguments);
  if (positives.empty()) throw UsageError("--positives DIR is missing");
  if (output.empty()) throw UsageError("--output FILE is missing");
  if (!(precision > 0 && precision <= 1)) throw UsageError("--precision must be in (0, 1]");
  check_dataset_options(read);
  check_training_options(options);
  check_output_file("--output", output);
  gst_init(nullptr, nullptr);
  const tbb::global_control limit = limit_threads(threads);

  const TrainingData data = load(positives, negatives, read);
  VividModel model;
  model.label = read.label;
  model.bank = train_filter_bank(data, options);
  const CurvePoint threshold = choose_threshold(data, model.bank, options, precision, read.label);
  model.svm = train_classifier(data, model.bank, options);
  model.default_threshold = threshold.score;
  model.origin = "tandem train-detector; positives " + folder_names(positives) + "; negatives " +
                 folder_names(negatives) + "; " + described(options);
  if (read.label != "person") model.origin += "; label " + read.label;
  if (!read.split.empty()) model.origin += "; split " + read.split;
  save_vivid_model(model, output);
  std::printf("threshold %.3f: precision %.3f, recall %.3f in cross-validation\nwrote %s\n",
              threshold.score, threshold.precision, threshold.recall, output.c_str());
  return 0;
}

}  // namespace tandem
