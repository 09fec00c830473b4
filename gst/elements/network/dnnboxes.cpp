// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <string>

#include "gst/elements/elements.h"
#include "gst/elements/network/networkmodel.h"
#include "gst/elements/stageelement.h"
#include "gst/meta/region.h"
#include "kernels/network/boxes/box_decoder.h"
#include "kernels/network/key_file.h"

namespace tandem {
namespace {

struct DnnBoxesSettings {
  std::string model, labels;
  double threshold = 0.5;
  double max_overlap = 0.5;
  int max_detections = 100;
};

/// Which classes `labels` names; empty: all. Throws std::runtime_error.
std::vector<bool> wanted_classes(const std::string& labels, const network::ModelInfo& info) {
  if (labels.empty()) return {};
  std::vector<bool> wanted(info.labels.size());
  for (const std::string& label : network::split_list(labels, ',')) {
    bool found = false;
    for (std::size_t i = 0; i < info.labels.size(); ++i) {
      if (info.labels[i] != label) continue;
      wanted[i] = found = true;
    }
    if (found) continue;
    std::string some;
    for (std::size_t i = 0; i < std::min<std::size_t>(10, info.labels.size()); ++i)
      some += (i == 0 ? "" : ", ") + info.labels[i];
    throw std::runtime_error("dnnboxes has the unknown label '" + label +
                             "' in its property labels: the model has " + some +
                             (info.labels.size() > 10 ? " and more" : ""));
  }
  return wanted;
}

/// Decodes the network's output, for frames of any size.
class DnnDecoder {
 public:
  DnnDecoder(const NetworkModel& model, const TensorSpec& output, const std::string& labels)
      : wanted_(wanted_classes(labels, model.info)), scores_(model.info.scores) {
    const std::span<const std::size_t> shape(output.shape.data(), output.dimensions);
    classes_ = model.info.decoder == network::ModelInfo::Decoder::classes;
    if (classes_) {
      network::check_labels(model.info, output.elements());
    } else {
      boxes_ = network::make_box_decoder(model.info,
                                         {shape, model.input.width, model.input.height, wanted_});
    }
    for (const std::string& label : model.info.labels)
      quarks_.push_back(g_quark_from_string(label.c_str()));
  }

  /// Whether the output is that of a classifier, which has one result a frame.
  bool classes() const { return classes_; }
  GQuark quark(int label) const { return quarks_[static_cast<std::size_t>(label)]; }

  network::ScoreRange score_range(const float* output) const {
    if (!classes_) return boxes_->score_range(output);
    network::ScoreRange range;
    range.add({output, quarks_.size()});
    return range;
  }

  /// Detections in pixels of the frame, or the frame's class as one that has no box.
  void decode(const float* output, const DnnBoxesSettings& settings,
              const network::Placement& placement, std::vector<Detection>& found) const {
    const auto threshold = static_cast<float>(settings.threshold);
    if (classes_) {
      found.clear();
      const network::FrameClass best = network::best_class({output, quarks_.size()}, scores_);
      const auto label = static_cast<std::size_t>(best.label);
      if (best.label >= 0 && best.probability >= threshold && (wanted_.empty() || wanted_[label]))
        found.push_back({0, 0, 0, 0, best.probability, best.label});
      return;
    }
    boxes_->decode(output, threshold, found);
    suppress_overlaps(found, static_cast<float>(settings.max_overlap),
                      static_cast<std::size_t>(settings.max_detections));
    for (Detection& detection : found) detection = network::to_frame(placement, detection);
  }

 private:
  const std::vector<bool> wanted_;
  const network::ModelInfo::Scores scores_;
  bool classes_ = false;
  std::unique_ptr<network::BoxDecoder> boxes_;
  std::vector<GQuark> quarks_;
};

class DnnBoxesWork final : public StageWork {
 public:
  DnnBoxesWork(std::shared_ptr<const NetworkModel> model, const WorkRequest& request,
               const DnnBoxesSettings& settings)
      : model_(std::move(model)),
        decoder_(*model_, request.inputs[0].spec, settings.labels),
        settings_(settings),
        placement_(placement_of(*model_, request.video)) {
    outputs_ = {TensorSpec::scratch_of<int32_t>("count", 1),
                TensorSpec::scratch_of<float>("boxes", settings.max_detections,
                                              sizeof(Detection) / sizeof(float))};
    const network::ScoreRange of_first_frame =
        decoder_.score_range(static_cast<const float*>(request.inputs[0].values()));
    notice_ = network::scores_advice(model_->info, of_first_frame);
    if (!notice_.empty()) notice_ += " into '" + model_->info.path + "'";
  }

  int rows() const override { return 1; }

  void compute(StageFrame&, Rows) const override {}

  // Throws if the scores are none, which ends the stream with a message.
  void combine(StageFrame& frame) const override {
    thread_local std::vector<Detection> found;
    decoder_.decode(frame.input<float>(0), settings_, placement_, found);
    *frame.output<int32_t>(0) = static_cast<int32_t>(found.size());
    std::copy(found.begin(), found.end(), frame.output<Detection>(1));
  }

  void publish(StageFrame& frame, GstBuffer* buffer) const override {
    const FrameSize size{placement_.frame_width, placement_.frame_height};
    const std::span<const Detection> found(frame.output<Detection>(1),
                                           static_cast<std::size_t>(*frame.output<int32_t>(0)));
    if (!decoder_.classes()) mark_detected(buffer);
    for (const Detection& d : found) {
      const Region region{decoder_.quark(d.label),
                          d.label,
                          std::min(1.0, static_cast<double>(d.score)),
                          d.x,
                          d.y,
                          d.width,
                          d.height};
      if (decoder_.classes())
        attach_scene(buffer, region, size, model_->name.c_str());
      else
        attach_region(buffer, region, size);
    }
  }

 private:
  static_assert(sizeof(Detection) % sizeof(float) == 0);

  const std::shared_ptr<const NetworkModel> model_;
  const DnnDecoder decoder_;
  const DnnBoxesSettings settings_;
  const network::Placement placement_;
};

struct DnnBoxes {
  using Settings = DnnBoxesSettings;

  static constexpr char kTypeName[] = "GstDnnBoxes";
  static constexpr char kLongName[] = "Network output stage";
  static constexpr char kSummary[] =
      "Decodes a neural network's output into detections, or into the class of the frame";

  static StageDescription description() {
    return {.inputs = {{kDnnOutput, "dnnstage"}},
            .has_opencl = false,
            .whole = "only the CPU computes it"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model", kModelBlurb, &Settings::model},
      {"threshold", "Threshold", "Least probability of a detection or a class (0 to 1)",
       &Settings::threshold, 0, 1, kKeepsWork},
      {"max-overlap", "Largest overlap",
       "Of two detections of a class that overlap by more than this the weaker one is dropped "
       "(intersection over union)",
       &Settings::max_overlap, 0, 1, kKeepsWork},
      {"max-detections", "Most detections",
       "Most detections that are kept of a frame, strongest first (detections)",
       &Settings::max_detections, 1, 1000, kKeepsWork},
      {"labels", "Labels", "Classes that are kept, as in \"person,car\"; empty: all",
       &Settings::labels},
  };

  std::unique_ptr<DnnBoxesWork> make_work(const Settings& settings, const WorkRequest& request) {
    if (request.inputs[0].spec.type != GST_TANDEM_ELEMENT_TYPE_FLOAT32)
      throw std::runtime_error("the tensor '" + std::string(kDnnOutput) +
                               "' on the frame has no floats: put dnnstage before dnnboxes");
    return std::make_unique<DnnBoxesWork>(
        model.of(settings.model, "dnnboxes", model_version_of(settings.model)), request, settings);
  }

  LastMade<NetworkModel, std::string, std::string, ModelVersion> model;
};

}  // namespace
}  // namespace tandem

GType gst_dnn_boxes_get_type() { return tandem::StageElement<tandem::DnnBoxes>::get_type(); }
