// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>

#include "gst/elements/elements.h"
#include "gst/elements/splitwork.h"
#include "gst/elements/stageelement.h"
#include "gst/elements/vivid/vividtensors.h"
#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {
namespace {

enum Input { kIndex, kWeight, kLevels };

/// The kernel on the device; it depends on the number of filters alone.
struct HistogramEngine {
  std::unique_ptr<VividHistogramOpenCL> device;

  HistogramEngine(int filters, const std::shared_ptr<opencl::Context>& context) {
    if (context) device = std::make_unique<VividHistogramOpenCL>(*context, filters);
  }
};

class VividHistogramWork final : public SplitWork {
 public:
  VividHistogramWork(std::shared_ptr<const HistogramEngine> engine, VividLevels levels)
      : engine_(std::move(engine)), levels_(std::move(levels)) {
    outputs_ = {TensorSpec::of<float>(kVividHistogram, levels_.cells, levels_.filters)};
  }

  bool fits(StageFrame& frame) const override {
    return levels_.matches(frame.value<float>(kLevels));
  }

  int rows() const override { return levels_.cell_rows; }

  void compute(StageFrame& frame, Rows rows) const override {
    for (const VividLevel& level : levels_.levels) {
      const Rows mine{std::max(0, rows.begin - level.first_cell_row),
                      std::min(level.cells.rows, rows.end - level.first_cell_row)};
      if (mine.begin >= mine.end) continue;
      const Plane<const uint8_t> index{frame.input<uint8_t>(kIndex) + level.first_pixel,
                                       level.width, level.height, level.width};
      const Plane<const float> weight{frame.input<float>(kWeight) + level.first_pixel, level.width,
                                      level.height, level.width};
      vivid_histogram_simd(index, weight, levels_.filters,
                           frame.output<float>(0) + level.first_cell * levels_.filters, mine);
    }
  }

  Rows needs(int, Rows rows) const override {
    if (rows.count() <= 0) return {};
    const VividLevel& first = levels_.of_cell_row(rows.begin);
    const VividLevel& last = levels_.of_cell_row(rows.end - 1);
    return {first.first_row + 1 + (rows.begin - first.first_cell_row) * CellGrid::kCell,
            last.first_row + 1 + (rows.end - last.first_cell_row) * CellGrid::kCell};
  }

  std::size_t row_begin(int, int row) const override {
    if (row == 0) return 0;
    const VividLevel& level = levels_.of_cell_row(row - 1);
    const auto skipped = static_cast<std::size_t>(row - level.first_cell_row);
    const auto cells = level.first_cell + skipped * static_cast<std::size_t>(level.cells.columns);
    return cells * static_cast<std::size_t>(levels_.filters) * sizeof(float);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    void* const index = frame.device_input(kIndex);
    void* const weight = frame.device_input(kWeight);
    void* const histogram = frame.device_output(0);
    for (const VividLevel& level : levels_.levels) {
      const Rows mine{std::max(0, rows.begin - level.first_cell_row),
                      std::min(level.cells.rows, rows.end - level.first_cell_row)};
      if (mine.count() <= 0 || level.cells.columns == 0) continue;
      engine_->device->enqueue(queue,
                               {index, level.first_pixel, level.width, level.height, level.width},
                               {weight, level.first_pixel, level.width, level.height, level.width},
                               {histogram, level.first_cell * levels_.filters}, mine);
    }
  }

 private:
  const std::shared_ptr<const HistogramEngine> engine_;
  const VividLevels levels_;
};

struct VividHistogram {
  using Settings = NoSettings;

  static constexpr char kTypeName[] = "GstVividHistogram";
  static constexpr char kLongName[] = "ViVid histogram stage";
  static constexpr char kSummary[] =
      "Counts the votes of vividfilter by filter in cells of 8x8 pixels";

  static StageDescription description() {
    return {.inputs = {{kVividIndex, "vividfilter"},
                       {kVividWeight, "vividfilter"},
                       {kVividLevels, "vividfilter"}},
            .whole = {}};
  }

  std::unique_ptr<VividHistogramWork> make_work(const Settings&, const WorkRequest& request) {
    VividLevels levels = VividLevels::of(request.inputs[kLevels]);
    if (request.inputs[kIndex].spec.elements() != levels.pixels ||
        request.inputs[kWeight].spec.elements() != levels.pixels) {
      throw std::runtime_error(
          "the tensors of vividfilter on the frame have sizes that contradict each other");
    }
    auto kernels = engine.of(levels.filters, request.context);
    return std::make_unique<VividHistogramWork>(std::move(kernels), std::move(levels));
  }

  LastMade<HistogramEngine, int, std::shared_ptr<opencl::Context>> engine;
};

}  // namespace
}  // namespace tandem

GType gst_vivid_histogram_get_type() {
  return tandem::StageElement<tandem::VividHistogram>::get_type();
}
