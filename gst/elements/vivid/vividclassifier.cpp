// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <cmath>
#include <string>

#include "gst/elements/elements.h"
#include "gst/elements/modelpath.h"
#include "gst/elements/smallframes.h"
#include "gst/elements/splitwork.h"
#include "gst/elements/stageelement.h"
#include "gst/elements/vivid/vividtensors.h"
#include "gst/meta/region.h"
#include "kernels/vivid_classifier/detections.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_classifier/vivid_model.h"

namespace tandem {
namespace {

enum Input { kHistogram, kLevels };
enum Output { kScore, kPartial };

struct ClassifierSettings {
  std::string model;
  double threshold = 0.5;
  double max_overlap = 0.3;
  int max_detections = 200;
};

/// The trained SVM, laid out for both sides.
struct ClassifierEngine {
  VividModel model;
  PackedSvm packed;
  std::unique_ptr<VividClassifierOpenCL> device;

  ClassifierEngine(const std::string& path, const std::shared_ptr<opencl::Context>& context)
      : model(load_vivid_model(model_path(path, kVividModel))), packed(model.svm) {
    if (context) device = std::make_unique<VividClassifierOpenCL>(*context, model.svm);
  }

  // One unit of the SVM's margin is e^2 in odds; the model's own threshold is even odds.
  static constexpr double kSteepness = 2;
  double confidence(float score) const {
    return 1 / (1 + std::exp(-kSteepness * (score - model.default_threshold)));
  }
  float score_at(double confidence) const {
    return static_cast<float>(model.default_threshold +
                              std::log(confidence / (1 - confidence)) / kSteepness);
  }
};

// Where no window fits into the first level of the pyramid, which is scaled by `scale` and rounded.
std::string too_small(const GstVideoInfo& video, double scale) {
  constexpr Sides kLevel{VividWindow::kWidth + 2,
                         VividWindow::kHeight + 2};  // borders have no votes
  const auto needed = [&](int side) { return static_cast<int>(std::ceil((side - 0.5) * scale)); };
  const double fits = std::floor(
      100 * std::min(double(video.width) / kLevel.width, double(video.height) / kLevel.height));
  char setting[64] = "";
  if (fits >= 100 * kVividLeastFirstScale)
    g_snprintf(setting, sizeof setting, "vividfilter first-scale=%d.%02d", int(fits) / 100,
               int(fits) % 100);
  return too_small_notice("No object can be found", {video.width, video.height},
                          {needed(kLevel.width), needed(kLevel.height)}, setting);
}

class VividClassifierWork final : public SplitWork {
 public:
  VividClassifierWork(std::shared_ptr<const ClassifierEngine> engine, VividLevels levels,
                      const ClassifierSettings& settings, const GstVideoInfo& video)
      : engine_(std::move(engine)),
        levels_(std::move(levels)),
        least_score_(engine_->score_at(std::clamp(settings.threshold, 1e-6, 1 - 1e-6))),
        settings_(settings),
        label_(g_quark_from_string(engine_->model.label.c_str())) {
    std::size_t partial = 0;
    for (const VividLevel& level : levels_.levels) {
      first_partial_.push_back(partial);
      partial += std::max(vivid_classifier_partial_size(level.cells),
                          engine_->device ? VividClassifierOpenCL::partial_size(level.cells) : 0);
    }
    outputs_ = {TensorSpec::of<float>(kVividScore, levels_.scores),
                TensorSpec::scratch_of<float>("partial", partial)};
    if (levels_.scores == 0) notice_ = too_small(video, levels_.levels.front().scale);
  }

  bool fits(StageFrame& frame) const override {
    return levels_.matches(frame.value<float>(kLevels));
  }

  int rows() const override { return levels_.block_rows; }

  void compute(StageFrame& frame, Rows rows) const override {
    for (std::size_t l = 0; l < levels_.levels.size(); ++l) {
      const VividLevel& level = levels_.levels[l];
      const Rows mine{std::max(0, rows.begin - level.first_block_row),
                      std::min(level.cells.rows - 1, rows.end - level.first_block_row)};
      if (mine.begin >= mine.end || scores(level).rows == 0) continue;
      vivid_classifier_rows(frame.input<float>(kHistogram) + level.first_cell * levels_.filters,
                            level.cells, engine_->packed,
                            frame.output<float>(kPartial) + first_partial_[l], mine);
    }
  }

  void combine(StageFrame& frame) const override { add_cores(frame, 0); }

  // The device has its block rows' part of the windows that reach beyond them.
  void join(StageFrame& frame, const SplitRows& rows) const override {
    add_cores(frame, rows.cores_begin);
  }

  // The rows of cells of these block rows. A block row has two rows of cells.
  Rows needs(int, Rows rows) const override {
    if (rows.count() <= 0) return {};
    const VividLevel& first = levels_.of_block_row(rows.begin);
    const VividLevel& last = levels_.of_block_row(rows.end - 1);
    return {first.first_cell_row + rows.begin - first.first_block_row,
            last.first_cell_row + rows.end - last.first_block_row + 1};
  }

  // The last 14 block rows of a level have no window of their own.
  std::size_t row_begin(int, int row) const override {
    if (row == 0) return 0;
    const VividLevel& level = levels_.of_block_row(row - 1);
    const ScoreGrid grid = scores(level);
    const int windows = std::min(row - level.first_block_row, grid.rows);
    return (level.first_score + static_cast<std::size_t>(windows * grid.columns)) * sizeof(float);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    void* const histogram = frame.device_input(kHistogram);
    void* const score = frame.device_output(kScore);
    void* const partial = frame.device_output(kPartial);
    for (std::size_t l = 0; l < levels_.levels.size(); ++l) {
      const VividLevel& level = levels_.levels[l];
      const ScoreGrid grid = scores(level);
      if (grid.rows == 0) continue;
      engine_->device->enqueue(queue, {histogram, level.first_cell * levels_.filters}, level.cells,
                               {partial, first_partial_[l]},
                               {score, level.first_score, grid.columns, grid.rows, grid.columns},
                               {0, grid.rows}, rows.end - level.first_block_row);
    }
    frame.download(kScore);  // publish() reads it
  }

  void publish(StageFrame& frame, GstBuffer* buffer) const override {
    thread_local std::vector<Detection> found;
    found.clear();
    const auto* score = frame.result<float>(kScore);
    for (const VividLevel& level : levels_.levels) {
      if (scores(level).rows == 0) continue;
      collect_detections(score_plane(score, level), level.scale, least_score_,
                         GST_VIDEO_FRAME_WIDTH(frame.video), GST_VIDEO_FRAME_HEIGHT(frame.video),
                         found);
    }
    suppress_overlaps(found, static_cast<float>(settings_.max_overlap),
                      static_cast<std::size_t>(settings_.max_detections));
    const FrameSize size{GST_VIDEO_FRAME_WIDTH(frame.video), GST_VIDEO_FRAME_HEIGHT(frame.video)};
    mark_detected(buffer);
    for (const Detection& d : found) {
      // The detector has one class.
      attach_region(buffer, {label_, 0, engine_->confidence(d.score), d.x, d.y, d.width, d.height},
                    size);
    }
  }

 private:
  // Adds the parts of block rows from `first` on to the scores of their windows.
  void add_cores(StageFrame& frame, int first) const {
    for (std::size_t l = 0; l < levels_.levels.size(); ++l) {
      const VividLevel& level = levels_.levels[l];
      const int row = std::max(0, first - level.first_block_row);
      if (scores(level).rows == 0 || row >= level.block_rows()) continue;
      vivid_classifier_combine(frame.output<float>(kPartial) + first_partial_[l], level.cells,
                               engine_->packed, score_plane(frame.output<float>(kScore), level),
                               row);
    }
  }

  static ScoreGrid scores(const VividLevel& level) { return ScoreGrid::of(level.cells); }

  template <typename T>
  static Plane<T> score_plane(T* data, const VividLevel& level) {
    const ScoreGrid grid = scores(level);
    return {data + level.first_score, grid.columns, grid.rows, grid.columns};
  }

  const std::shared_ptr<const ClassifierEngine> engine_;
  const VividLevels levels_;
  const float least_score_;
  const ClassifierSettings settings_;
  const GQuark label_;
  std::vector<std::size_t> first_partial_;  // of each level, in floats
};

struct VividClassifier {
  using Settings = ClassifierSettings;

  static constexpr char kTypeName[] = "GstVividClassifier";
  static constexpr char kLongName[] = "ViVid classifier stage";
  static constexpr char kSummary[] =
      "Finds objects: a linear SVM over every window of vividhistogram's cells";

  static StageDescription description() {
    return {.inputs = {{kVividHistogram, "vividhistogram"}, {kVividLevels, "vividfilter"}},
            .whole = {},
            .joins = true};
  }

  // Every window gets its score; the last three properties only select reported ones.
  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model",
       "File with the trained detector; empty: the one that comes with Tandem. Must be the one "
       "that vividfilter uses",
       &Settings::model},
      {"threshold", "Threshold",
       "Least confidence of a detection; 0.5 is the operating point found in training (0 to 1)",
       &Settings::threshold, 0, 1, kKeepsWork},
      {"max-overlap", "Largest overlap",
       "Of two detections that overlap by more than this the weaker one is dropped (intersection "
       "over union)",
       &Settings::max_overlap, 0, 1, kKeepsWork},
      {"max-detections", "Most detections",
       "Most detections that are kept of a frame, strongest first (detections)",
       &Settings::max_detections, 1, 10000, kKeepsWork},
  };

  std::unique_ptr<VividClassifierWork> make_work(const Settings& settings,
                                                 const WorkRequest& request) {
    VividLevels levels = VividLevels::of(request.inputs[kLevels]);
    if (request.inputs[kHistogram].spec.elements() != levels.cells * levels.filters)
      throw std::runtime_error(
          "the tensors of the ViVid stages on the frame have sizes that contradict each other");
    auto engine = engines.of(settings.model, request.context);
    if (engine->model.svm.filters != levels.filters) {
      throw std::runtime_error("vividclassifier's model '" +
                               model_path(settings.model, kVividModel) + "' has " +
                               std::to_string(engine->model.svm.filters) +
                               " filters, but the model of vividfilter has " +
                               std::to_string(levels.filters) + ": set the same `model` on both.");
    }
    return std::make_unique<VividClassifierWork>(std::move(engine), std::move(levels), settings,
                                                 request.video);
  }

  LastMade<ClassifierEngine, std::string, std::shared_ptr<opencl::Context>> engines;
};

}  // namespace
}  // namespace tandem

GType gst_vivid_classifier_get_type() {
  return tandem::StageElement<tandem::VividClassifier>::get_type();
}
