// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/ref.h>
#include <gst/tandem/private/stagefile.h>

#include <memory>
#include <vector>

#include "gst/elements/kernelstage/stageprogram.h"
#include "gst/elements/splitwork.h"

namespace tandem {

/// The tensors that a stage keeps from frame to frame, as its file declares. Frames pass such a
/// stage one by one.
struct KeptTensors {
  std::vector<MemoryRef> before;
  int frames = 0;  ///< number of earlier frames
};

/// A stage file's work on frames of one size.
class StageFileWork final : public SplitWork {
 public:
  /// Throws std::runtime_error if a tensor differs from its declaration in the file.
  StageFileWork(std::shared_ptr<const StageProgram> program, std::vector<StageValue> parameters,
                std::shared_ptr<KeptTensors> kept, const WorkRequest& request);

  void prepare(StageFrame& frame) const override;
  int rows() const override { return rows_; }
  void compute(StageFrame& frame, Rows rows) const override;
  void combine(StageFrame& frame) const override;
  Rows needs(int input, Rows rows) const override;
  int planes(int output) const override;
  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override;
  void join(StageFrame& frame, const SplitRows& rows) const override;
  void collect(StageFrame& frame) const override;
  void publish(StageFrame& frame, GstBuffer* buffer) const override;

  /// `data`: that of the GstTandemWork.
  static StageFileLayout layout_of(gconstpointer data) {
    const auto* work = static_cast<const StageFileWork*>(static_cast<const StageWork*>(data));
    return {work->places_, work->parameters_};
  }

 private:
  using Place = StageFileLayout::Place;

  void place(const StageTensor& tensor, const WorkRequest& request);
  void place_pixels(const StageTensor& tensor, const WorkRequest& request, Place& place) const;
  void place_input(const StageTensor& tensor, const WorkRequest& request, Place& place) const;
  StageView view(std::size_t i, void* data) const;
  StageCall call(const StageView* views) const;
  const StageCall& host_call(const StageFrame& frame,
                             std::array<StageView, kMostStageTensors>& views,
                             StageCall& call) const;
  // The rows of what a split frame's rows read of a plane.
  Rows rows_of(const StageAccess& read, Rows rows) const;
  // Where the rows of pixels end that a device needs for these rows.
  int pixel_rows(std::size_t tensor, Rows rows) const;
  void copy_luma(StageFrame& frame) const;
  bool is_boxes(const StageTensor& tensor) const;
  void attach(const StageRegions& regions, StageFrame& frame, GstBuffer* buffer) const;

  const std::shared_ptr<const StageProgram> program_;
  const std::vector<StageValue> parameters_;
  const std::shared_ptr<KeptTensors> kept_;
  const int width_, height_;
  const bool splits_;
  int rows_ = 1;
  int progress_ = -1;          // the output in which HostProgress is
  int luma_out_ = -1;          // the output that is copied into the frame
  std::vector<Place> places_;  // one a tensor of the plan
};

}  // namespace tandem
