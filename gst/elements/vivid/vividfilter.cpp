// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <string>

#include "gst/elements/elements.h"
#include "gst/elements/modelpath.h"
#include "gst/elements/splitwork.h"
#include "gst/elements/stageelement.h"
#include "gst/elements/vivid/vividtensors.h"
#include "kernels/resize/resize.h"
#include "kernels/vivid_classifier/vivid_model.h"
#include "kernels/vivid_filter/vivid_filter.h"

namespace tandem {
namespace {

enum Output { kIndex, kWeight, kLevels, kLuma, kPyramid };

/// Data that do not depend on the size of the frames.
struct FilterEngine {
  FilterBank bank;
  std::unique_ptr<ResizeOpenCL> device_resize;
  std::unique_ptr<VividFilterOpenCL> device_filter;

  FilterEngine(const std::string& model, const std::shared_ptr<opencl::Context>& context)
      : bank(load_vivid_model(model_path(model, kVividModel)).bank) {
    if (!context) return;
    device_resize = std::make_unique<ResizeOpenCL>(*context);
    device_filter = std::make_unique<VividFilterOpenCL>(*context, bank);
  }
};

class VividFilterWork final : public SplitWork {
 public:
  VividFilterWork(std::shared_ptr<const FilterEngine> engine, const GstVideoInfo& video, int scales,
                  double first_scale)
      : engine_(std::move(engine)),
        width_(GST_VIDEO_INFO_WIDTH(&video)),
        height_(GST_VIDEO_INFO_HEIGHT(&video)),
        levels_(pyramid_levels(width_, height_, scales, first_scale)) {
    const Level& last = levels_.back();
    const std::size_t pixels =
        last.first_pixel + static_cast<std::size_t>(last.width) * last.height;
    rows_ = last.first_row + last.height;
    const bool device = engine_->device_filter != nullptr;
    const bool resizes = std::any_of(levels_.begin(), levels_.end(),
                                     [&](const Level& level) { return resized(level); });
    outputs_ = {
        TensorSpec::of<uint8_t>(kVividIndex, pixels),
        TensorSpec::of<float>(kVividWeight, pixels),
        TensorSpec::of<float>(kVividLevels, levels_.size(), 4),
        TensorSpec::of_pixels("luma", width_, height_, device),
        TensorSpec::scratch_of<uint8_t>("pyramid", device && resizes ? pixels : 0),
    };
  }

  void prepare(StageFrame& frame) const override {
    auto* values = frame.output<float>(kLevels);
    for (const Level& level : levels_) {
      *values++ = static_cast<float>(level.width);
      *values++ = static_cast<float>(level.height);
      *values++ = static_cast<float>(level.scale);
      *values++ = static_cast<float>(engine_->bank.count);
    }
  }

  int rows() const override { return rows_; }

  void compute(StageFrame& frame, Rows rows) const override {
    for (const Level& level : levels_) {
      const Rows mine{std::max(0, rows.begin - level.first_row),
                      std::min(level.height, rows.end - level.first_row)};
      if (mine.begin >= mine.end) continue;
      vivid_filter_simd(luma(frame, level, mine), engine_->bank,
                        plane(frame.output<uint8_t>(kIndex), level),
                        plane(frame.output<float>(kWeight), level), mine);
    }
  }

  int planes(int output) const override { return output == kIndex || output == kWeight ? 1 : 0; }

  std::size_t row_begin(int output, int row) const override {
    const auto after = std::ranges::find_if(
        levels_, [=](const Level& level) { return row <= level.first_row + level.height; });
    const auto skipped = static_cast<std::size_t>(row - after->first_row);
    return (after->first_pixel + skipped * after->width) *
           (output == kWeight ? sizeof(float) : sizeof(uint8_t));
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const Level& first = levels_.front();
    const bool one_level = !resized(first) && rows.end <= first.height;
    const opencl::DevicePlane full =
        frame.upload(frame.luma(), kLuma, one_level ? rows.end + 1 : height_);
    void* const index = frame.device_output(kIndex);
    void* const weight = frame.device_output(kWeight);
    void* const pyramid = frame.device_output(kPyramid);
    for (const Level& level : levels_) {
      const Rows mine{std::max(0, rows.begin - level.first_row),
                      std::min(level.height, rows.end - level.first_row)};
      if (mine.count() <= 0) continue;
      opencl::DevicePlane level_luma = full;
      if (resized(level)) {
        level_luma = plane(pyramid, level);
        engine_->device_resize->enqueue(
            queue, full, level_luma,
            {std::max(0, mine.begin - 1), std::min(level.height, mine.end + 1)});
      }
      engine_->device_filter->enqueue(queue, level_luma, plane(index, level), plane(weight, level),
                                      mine);
    }
  }

 private:
  bool resized(const Level& level) const {
    return level.width != width_ || level.height != height_;
  }

  template <typename T>
  static Plane<T> plane(T* data, const Level& level) {
    return {data + level.first_pixel, level.width, level.height, level.width};
  }
  static opencl::DevicePlane plane(void* mem, const Level& level) {
    return {mem, level.first_pixel, level.width, level.height, level.width};
  }

  // The level's luma, valid for `rows` and one row on each side. It is the frame itself, or rows
  // resized into memory of this thread, so that neighbouring bands need not wait for each other.
  Plane<const uint8_t> luma(const StageFrame& frame, const Level& level, Rows rows) const {
    if (!resized(level)) return frame.luma();
    const Rows with_halo{std::max(0, rows.begin - 1), std::min(level.height, rows.end + 1)};
    thread_local std::vector<uint8_t> scratch;
    const auto bytes = static_cast<std::size_t>(with_halo.count()) * level.width;
    if (scratch.size() < bytes) scratch.resize(bytes);
    const std::ptrdiff_t skipped = static_cast<std::ptrdiff_t>(with_halo.begin) * level.width;
    const Plane<uint8_t> resized{scratch.data() - skipped, level.width, level.height, level.width};
    resize_simd(frame.luma(), resized, with_halo);
    return resized;
  }

  const std::shared_ptr<const FilterEngine> engine_;
  const int width_, height_;
  const std::vector<Level> levels_;
  int rows_ = 0;
};

struct VividFilter {
  struct Settings {
    std::string model;
    int scales = 0;
    double first_scale = 1;
  };

  static constexpr char kTypeName[] = "GstVividFilter";
  static constexpr char kLongName[] = "ViVid filter stage";
  static constexpr char kSummary[] =
      "Finds for each pixel the filter of a trained 3x3 bank with the strongest response";

  static StageDescription description() { return {.whole = {}}; }

  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model",
       "File with the trained detector, of which this stage uses the filter bank; empty: the one "
       "that comes with Tandem",
       &Settings::model},
      {"scales", "Scales",
       "Number of sizes at which objects are searched, a factor of 1.2 apart; 0: all at which a "
       "window fits into the frame (sizes)",
       &Settings::scales, 0, 64},
      {"first-scale", "First scale",
       "Size of a pixel of the first scale: 0.5 enlarges the frame twofold and finds people half "
       "as high (pixels of the frame)",
       &Settings::first_scale, kVividLeastFirstScale, 16},
  };

  std::unique_ptr<VividFilterWork> make_work(const Settings& settings, const WorkRequest& request) {
    return std::make_unique<VividFilterWork>(engine.of(settings.model, request.context),
                                             request.video, settings.scales, settings.first_scale);
  }

  LastMade<FilterEngine, std::string, std::shared_ptr<opencl::Context>> engine;
};

}  // namespace
}  // namespace tandem

GType gst_vivid_filter_get_type() { return tandem::StageElement<tandem::VividFilter>::get_type(); }
