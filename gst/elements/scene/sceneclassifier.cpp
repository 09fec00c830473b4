// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "files/utf8.h"
#include "gst/elements/elements.h"
#include "gst/elements/modelpath.h"
#include "gst/elements/scene/scenetensors.h"
#include "gst/elements/stageelement.h"
#include "gst/meta/region.h"
#include "kernels/scene_classifier/scene_model.h"

namespace tandem {
namespace {

enum Output { kMargins, kCounts, kBag };

/// The model's name for readers of metadata, which is that of its file.
std::string name_of(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string();
  return !name.empty() && is_utf8(name) ? name : "scenes";
}

struct ClassifierEngine {
  const SceneModel model;
  const std::string name;
  std::vector<GQuark> labels;

  explicit ClassifierEngine(const std::string& path)
      : model(load_scene_model(model_path(path, "scenes.scene"))), name(name_of(path)) {
    for (const std::string& label : model.labels)
      labels.push_back(g_quark_from_string(label.c_str()));
  }
};

class SceneClassifierWork final : public StageWork {
 public:
  SceneClassifierWork(std::shared_ptr<const ClassifierEngine> engine, const SceneLayout& layout)
      : engine_(std::move(engine)), model_(engine_->model), layout_(layout) {
    outputs_ = {
        TensorSpec::of<float>(kSceneMargins, model_.classes()),
        TensorSpec::scratch_of<int>("counts", model_.bag.counts()),
        TensorSpec::scratch_of<float>("bag", model_.bag.values()),
    };
  }

  int rows() const override { return is_empty(layout_) ? 1 : layout_.height_of(0); }

  void prepare(StageFrame& frame) const override {
    std::fill_n(frame.output<int32_t>(kCounts), model_.bag.counts(), 0);
  }

  void compute(StageFrame& frame, Rows rows) const override {
    if (is_empty(layout_)) return;
    thread_local std::vector<SceneDescriptor> descriptors;
    descriptors.clear();
    describe_scene(layout_, frame.input<Half>(0), model_.contrast, rows, descriptors);
    count_words(model_.vocabulary, model_.bag, layout_.height, descriptors,
                frame.output<int32_t>(kCounts));
  }

  void combine(StageFrame& frame) const override {
    float* const margins = frame.output<float>(kMargins);
    if (fill_bag(frame.output<int32_t>(kCounts), model_.bag, frame.output<float>(kBag)))
      scene_margins(model_, frame.output<float>(kBag), margins);
    else
      std::fill_n(margins, model_.classes(), 0.0f);
  }

  // A frame without a keypoint gets no label: combine() left its margins at 0.
  void publish(StageFrame& frame, GstBuffer* buffer) const override {
    const float* margins = frame.result<float>(kMargins);
    const int classes = model_.classes();
    if (std::all_of(margins, margins + classes, [](float m) { return m == 0; })) return;
    const int best = best_class(margins, classes);
    const GQuark label = engine_->labels[static_cast<std::size_t>(best)];
    attach_scene(buffer, {label, best, class_confidence(margins, classes, model_.steepness, best)},
                 {layout_.width, layout_.height}, engine_->name.c_str());
  }

 private:
  const std::shared_ptr<const ClassifierEngine> engine_;
  const SceneModel& model_;
  const SceneLayout layout_;
};

struct SceneClassifier {
  struct Settings {
    std::string model;
  };

  static constexpr char kTypeName[] = "GstSceneClassifier";
  static constexpr char kLongName[] = "Scene classifier stage";
  static constexpr char kSummary[] =
      "Classifies the scene of a frame by the visual words of its keypoints and a linear SVM";

  static StageDescription description() {
    return {.inputs = {{kSceneSpace, "scenefeatures"}},
            .has_opencl = false,
            .whole = "only the CPU computes it"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model",
       "File with the trained classifier, made by `tandem train-scenes`; empty: the one that "
       "comes with Tandem",
       &Settings::model},
  };

  std::unique_ptr<SceneClassifierWork> make_work(const Settings& settings,
                                                 const WorkRequest& request) {
    const SceneLayout layout{request.video.width, request.video.height};
    const TensorSpec& space = request.inputs[0].spec;
    if (space.type != GST_TANDEM_ELEMENT_TYPE_FLOAT16 || space.elements() != layout.values())
      throw std::runtime_error("the tensor '" + std::string(kSceneSpace) +
                               "' on the frame was made for another frame size");
    return std::make_unique<SceneClassifierWork>(engine.of(settings.model), layout);
  }

  LastMade<ClassifierEngine, std::string> engine;
};

}  // namespace
}  // namespace tandem

GType gst_scene_classifier_get_type() {
  return tandem::StageElement<tandem::SceneClassifier>::get_type();
}
