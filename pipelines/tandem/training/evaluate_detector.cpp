// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <tbb/parallel_for.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "pipelines/progress.h"
#include "pipelines/report/markup.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/training/network_detector.h"
#include "pipelines/tandem/training/training_options.h"
#include "pipelines/training/detector/trainer.h"
#include "pipelines/training/evaluation/average_precision.h"
#include "pipelines/training/evaluation/detection_file.h"

namespace tandem {
namespace {

struct NamedCurve {
  std::string name;
  Evaluation evaluation;
};

constexpr int kSide = 360, kLeft = 56, kTop = 40;  // of the square that recall and precision span

// Coordinates need no more than a tenth of a pixel.
std::string coordinate(double value) { return fixed(value, 1); }

double x_of(double recall) { return kLeft + recall * kSide; }
double y_of(double precision) { return kTop + (1 - precision) * kSide; }

std::string text_at(double x, double y, const std::string& attributes, const std::string& text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" " + attributes + ">" +
         escaped(text) + "</text>\n";
}

std::string grid() {
  std::string out;
  for (int i = 0; i <= 10; i += 2) {
    const double v = i / 10.0;
    out += "<path d=\"M" + coordinate(x_of(v)) + " " + coordinate(y_of(0)) + "V" +
           coordinate(y_of(1)) + "M" + coordinate(x_of(0)) + " " + coordinate(y_of(v)) + "H" +
           coordinate(x_of(1)) + "\" stroke=\"#ccc\"/>\n";
    out += text_at(x_of(v), y_of(0) + 18, "text-anchor=\"middle\"", coordinate(v));
    out += text_at(x_of(0) - 8, y_of(v) + 4, "text-anchor=\"end\"", coordinate(v));
  }
  out += text_at(x_of(0.5), y_of(0) + 38, "text-anchor=\"middle\"", "recall");
  out += text_at(x_of(0), kTop - 10, "text-anchor=\"middle\"", "precision");
  return out;
}

std::string path_of(const std::vector<CurvePoint>& curve) {
  std::string out;
  double drawn_x = -1, drawn_y = -1;
  for (const CurvePoint& point : curve) {
    const double x = x_of(point.recall), y = y_of(point.precision);
    // Steps that nobody can see would only make the file large.
    if (&point != &curve.back() && std::abs(x - drawn_x) + std::abs(y - drawn_y) < 1) continue;
    out += out.empty() ? 'M' : 'L';
    out += coordinate(x) + " " + coordinate(y);
    drawn_x = x;
    drawn_y = y;
  }
  return out;
}

/// Precision over recall as an SVG picture, up to six curves.
std::string curve_picture(const std::string& title, const std::vector<NamedCurve>& curves) {
  static const std::array<const char*, 6> kColours = {"#0b61a4", "#c43302", "#2e7d32",
                                                      "#7b1fa2", "#8d6e00", "#555555"};
  std::ostringstream file;
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"440\" height=\"460\" "
          "font-family=\"sans-serif\" font-size=\"12\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
       << text_at(x_of(0.5), 18, "text-anchor=\"middle\" font-size=\"14\"", title) << grid();
  for (std::size_t i = 0; i < curves.size() && i < kColours.size(); ++i) {
    file << "<path d=\"" << path_of(curves[i].evaluation.curve)
         << "\" fill=\"none\" stroke-width=\"2\" stroke=\"" << kColours[i] << "\"/>\n"
         << text_at(x_of(0) + 10, y_of(0) - 12 - 16.0 * static_cast<double>(curves.size() - 1 - i),
                    std::string("fill=\"") + kColours[i] + "\"",
                    curves[i].name + ", average precision " +
                        fixed(curves[i].evaluation.average_precision, 3));
  }
  file << "</svg>\n";
  return file.str();
}

// The curve goes on this far below the threshold, in margins of the SVM.
constexpr float kBelowThreshold = 2.5f;

struct Request {
  std::string dataset, model, csv, json, svg, title, save;
  std::vector<std::string> detections, negatives;
  int folds = 0, scales = 0, threads = 0;
  double first_scale = 1, min_overlap = 0.5, max_overlap = ScanOptions{}.max_overlap;
  double threshold = -1e9;
  TrainingOptions training;
  DatasetOptions read{.format = {}, .label = {}, .split = {}};
};

struct Result {
  std::string name;
  Evaluation evaluation;
  CurvePoint at_threshold = {};
  bool has_threshold = false;
};

ScanOptions scan_options(const Request& request, float threshold) {
  ScanOptions scan;
  scan.scales = request.scales;
  scan.first_scale = request.first_scale;
  scan.max_overlap = static_cast<float>(request.max_overlap);
  scan.threshold = threshold;
  return scan;
}

std::vector<std::vector<Detection>> detect_all(const Dataset& dataset, const VividModel& model,
                                               const ScanOptions& scan) {
  Progress progress("searching", dataset.photographs.size());
  const PackedSvm svm(model.svm);
  std::vector<std::vector<Detection>> found(dataset.photographs.size());
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
    found[i] = detect(load_photograph(dataset.photographs[i].path), model.bank, svm, scan);
    progress.advance();
  });
  return found;
}

std::vector<std::vector<Detection>> cross_validate_dataset(const Request& request,
                                                           const Dataset& dataset) {
  TrainingData data;
  data.with_people = load_photographs(dataset.photographs);
  std::vector<std::string> paths;
  for (const std::string& folder : request.negatives) {
    const auto some = photographs_below(folder);
    paths.insert(paths.end(), some.begin(), some.end());
  }
  data.without_people = load_images(paths);
  return cross_validate(data, nullptr, request.training, request.folds,
                        scan_options(request, -kBelowThreshold));
}

bool is_network(const std::string& model) { return model.ends_with(".onnx"); }

std::vector<std::vector<Detection>> detect_all_with_network(const Request& request,
                                                            const Dataset& dataset) {
  // Objects of less confidence than this change the curve where precision is of no use.
  constexpr double kLeastConfidence = 0.01;
  Progress progress("searching", dataset.photographs.size());
  return detect_with_network(
      dataset.photographs,
      {request.model, request.read.label, kLeastConfidence, request.max_overlap},
      [&] { progress.advance(); });
}

Result judge(const Request& request, const Dataset& dataset, const std::string& name,
             const std::vector<std::vector<Detection>>& found) {
  return {name, evaluate(dataset.photographs, found, static_cast<float>(request.min_overlap))};
}

Result judge_at(float threshold, const Request& request, const Dataset& dataset,
                const std::string& name, const std::vector<std::vector<Detection>>& found) {
  Result result = judge(request, dataset, name, found);
  result.at_threshold = result.evaluation.at(threshold);
  result.at_threshold.score = threshold;
  result.has_threshold = true;
  return result;
}

std::vector<Result> results_of(const Request& request, const Dataset& dataset,
                               const std::optional<VividModel>& loaded,
                               std::optional<TextOutput>& save) {
  std::vector<Result> results;
  for (const std::string& file : request.detections)
    results.push_back(judge(request, dataset, file, read_detections(file, dataset.photographs)));
  std::vector<std::vector<Detection>> found;
  if (request.folds > 0) {
    found = cross_validate_dataset(request, dataset);
    results.insert(
        results.begin(),
        judge(request, dataset,
              "ViVid, " + std::to_string(request.folds) + "-fold cross-validation", found));
  } else if (is_network(request.model)) {
    found = detect_all_with_network(request, dataset);
    const float threshold = request.threshold > -1e9 ? static_cast<float>(request.threshold) : 0.5f;
    results.insert(results.begin(), judge_at(threshold, request, dataset, request.model, found));
  } else if (loaded) {
    const VividModel& model = *loaded;
    const float threshold =
        request.threshold > -1e9 ? static_cast<float>(request.threshold) : model.default_threshold;
    found = detect_all(dataset, model, scan_options(request, threshold - kBelowThreshold));
    results.insert(results.begin(), judge_at(threshold, request, dataset, "ViVid", found));
  }
  if (save && !found.empty()) save->write(detection_lines(dataset.photographs, found));
  return results;
}

void print(const Request& request, const Dataset& dataset, const std::vector<Result>& results) {
  const Evaluation& first = results.front().evaluation;
  std::printf("%s: %s, %zu photographs, %zu boxes of '%s', %zu ignored boxes\n",
              request.dataset.c_str(), dataset.layout.c_str(), first.photographs, first.objects,
              request.read.label.c_str(), first.ignored);
  for (const Result& r : results) {
    std::printf(
        "%s: average precision %.4f at overlap %.2f (area under the interpolated curve), "
        "%zu detections\n",
        r.name.c_str(), r.evaluation.average_precision, request.min_overlap,
        r.evaluation.detections);
    if (r.has_threshold)
      std::printf("  at threshold %.3f: recall %.3f, precision %.3f\n", r.at_threshold.score,
                  r.at_threshold.recall, r.at_threshold.precision);
  }
}

std::string to_csv(const std::vector<Result>& results) {
  std::ostringstream file;
  file << "detector,score,recall,precision\n";
  for (const Result& r : results)
    for (const CurvePoint& p : r.evaluation.curve)
      file << '"' << r.name << "\"," << p.score << ',' << p.recall << ',' << p.precision << '\n';
  return file.str();
}

std::string to_json(const Request& request, const Dataset& dataset,
                    const std::vector<Result>& results) {
  using nlohmann::json;
  json detectors = json::array();
  for (const Result& r : results) {
    json entry = {{"name", r.name},
                  {"average_precision", r.evaluation.average_precision},
                  {"detections", r.evaluation.detections},
                  {"threshold", nullptr},
                  {"recall", nullptr},
                  {"precision", nullptr}};
    if (r.has_threshold) {
      entry["threshold"] = r.at_threshold.score;
      entry["recall"] = r.at_threshold.recall;
      entry["precision"] = r.at_threshold.precision;
    }
    detectors.push_back(entry);
  }
  const Evaluation& first = results.front().evaluation;
  return json{{"dataset", request.dataset},       {"layout", dataset.layout},
              {"photographs", first.photographs}, {"label", request.read.label},
              {"objects", first.objects},         {"ignored", first.ignored},
              {"overlap", request.min_overlap},   {"detectors", detectors}}
             .dump(2) +
         '\n';
}

std::string drawing(const Request& request, const std::vector<Result>& results) {
  std::vector<NamedCurve> curves;
  curves.reserve(results.size());
  for (const Result& r : results) curves.push_back({r.name, r.evaluation});
  return curve_picture(request.title.empty() ? request.dataset : request.title, curves);
}

Request parse(const std::vector<std::string>& arguments) {
  Request r;
  OptionParser parser("evaluate-detector",
                      "Prints the average precision of a detector (PASCAL VOC): of --model, of "
                      "--detections, or of what --cross-validate trains.");
  parser.add("dataset", r.dataset, "DIR", "A dataset: photographs with boxes", 'd');
  for (Option& one : dataset_options(r.read)) parser.add(std::move(one));
  parser.add("model", r.model, "FILE", "The model to evaluate: of train-detector, or an ONNX file",
             'm');
  parser.add("detections", r.detections, "FILE",
             "Evaluate what another detector found: JSON lines {\"image\", \"regions\": [{x, y, w, "
             "h, confidence}]}; may be repeated");
  parser.add("cross-validate", r.folds, "K",
             "Train on all but one of K parts and search the part that is left, for each", 'k');
  parser.add("negatives", r.negatives, "DIR",
             "With --cross-validate: photographs without the class; may be repeated", 'n');
  parser.add("scales", r.scales, "N", "Levels of the image pyramid; 0 = as many as fit (0)");
  parser.add("first-scale", r.first_scale, "X",
             "Scale of the first level; below 1 finds smaller objects (1)");
  parser.add("iou", r.min_overlap, "X", "Overlap with a box from which a detection is right (0.5)");
  parser.add("max-overlap", r.max_overlap, "X",
             "Overlap of two detections from which the weaker is dropped (0.4)");
  parser.add("threshold", r.threshold, "X",
             "Score at which recall and precision are given (the model's)");
  parser.add("csv", r.csv, "FILE", "Write the curves as a table");
  parser.add("json", r.json, "FILE", "Write the results; - is standard output");
  parser.add("svg", r.svg, "FILE", "Draw the curves");
  parser.add("title", r.title, "TEXT", "Title of the drawing");
  parser.add("save-detections", r.save, "FILE",
             "Write what was found, in the form that --detections reads");
  for (Option& one : training_options(r.training)) parser.add(std::move(one));
  parser.add(threads_option(r.threads));
  parser.parse(arguments);
  if (r.dataset.empty()) throw UsageError("--dataset DIR is missing");
  if (r.folds != 0 && r.folds < 2) throw UsageError("--cross-validate needs at least 2 parts");
  if (r.model.empty() && r.detections.empty() && r.folds == 0)
    throw UsageError("one of --model, --detections and --cross-validate is needed");
  if (!r.model.empty() && r.folds > 0)
    throw UsageError("--model and --cross-validate exclude each other");
  check_dataset_options(r.read);
  if (r.folds > 0) check_training_options(r.training);
  if (r.first_scale <= 0 || r.scales < 0)
    throw UsageError("--first-scale must be positive and --scales not negative");
  if (r.min_overlap <= 0 || r.min_overlap > 1 || r.max_overlap <= 0 || r.max_overlap > 1)
    throw UsageError("--iou and --max-overlap must be in (0, 1]");
  return r;
}

}  // namespace

int evaluate_detector_command(const std::vector<std::string>& arguments) {
  Request request = parse(arguments);
  claim_input(request.model);
  for (const std::string& detections : request.detections) claim_input(detections);
  std::optional<TextOutput> csv, json, svg, save;
  if (!request.csv.empty()) csv.emplace("--csv", request.csv);
  if (!request.json.empty()) json.emplace("--json", request.json);
  if (!request.svg.empty()) svg.emplace("--svg", request.svg);
  if (!request.save.empty()) save.emplace("--save-detections", request.save);
  gst_init(nullptr, nullptr);
  const tbb::global_control limit = limit_threads(request.threads);
  std::optional<VividModel> model;
  if (!request.model.empty() && !is_network(request.model)) model = load_vivid_model(request.model);
  if (request.read.label.empty()) request.read.label = model ? model->label : "person";
  const Dataset dataset = read_dataset(request.dataset, request.read);
  const std::vector<Result> results = results_of(request, dataset, model, save);
  print(request, dataset, results);
  if (csv) csv->write(to_csv(results));
  if (json) json->write(to_json(request, dataset, results));
  if (svg) svg->write(drawing(request, results));
  return 0;
}

}  // namespace tandem
