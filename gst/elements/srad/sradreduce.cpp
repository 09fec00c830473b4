// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

enum Input { kImage, kSquares };
enum Output { kStatistics, kSums };

class SradReduceWork final : public SradWork {
 public:
  SradReduceWork(SradKernels kernels, const WorkRequest& request)
      : SradWork(std::move(kernels), request) {
    // A row's sums: two doubles on the host, four floats on the device.
    static_assert(sizeof(SradSums) == SradOpenCL::kSumFloats * sizeof(float));
    outputs_ = {TensorSpec::of<float>(kSradStatistics, 2),
                TensorSpec::scratch_of<float>("sums", height_, SradOpenCL::kSumFloats)};
  }

  void compute(StageFrame& frame, Rows rows) const override {
    srad_reduce_simd(plane(frame.input<float>(kImage)), plane(frame.input<float>(kSquares)),
                     frame.output<SradSums>(kSums), rows);
  }

  void combine(StageFrame& frame) const override {
    *frame.output<SradStatistics>(kStatistics) =
        srad_combine(frame.output<SradSums>(kSums), width_, height_);
  }

  int planes(int output) const override { return output == kSums ? 1 : 0; }

  // The device has summed its rows in an order of its own, the cores row by row.
  void join(StageFrame& frame, const SplitRows& rows) const override {
    const auto* sums = frame.output<float>(kSums);
    SradSums all;
    for (int i = 0; i < kernels_->sums_of(rows.device_end); ++i, sums += SradOpenCL::kSumFloats) {
      all.image += double{sums[0]} + sums[1];
      all.squares += double{sums[2]} + sums[3];
    }
    for (int y = rows.cores_begin; y < height_; ++y) {
      all.image += frame.output<SradSums>(kSums)[y].image;
      all.squares += frame.output<SradSums>(kSums)[y].squares;
    }
    *frame.output<SradStatistics>(kStatistics) = srad_statistics(all, width_, height_);
  }

  void enqueue_rows(StageFrame& frame, opencl::Queue& queue, Rows rows) const override {
    const auto image = plane(frame.device_input(kImage));
    const auto squares = plane(frame.device_input(kSquares));
    const opencl::DeviceSpan sums{frame.device_output(kSums)};
    if (rows.end == height_) {
      return kernels_->reduce(queue, image, squares, sums, {frame.device_output(kStatistics)});
    }
    kernels_->reduce_first(queue, image, squares, sums, rows.end);
    frame.download(kSums);  // join() reads it
  }
};

struct SradReduce : KernelElement<SradReduceWork, SradOpenCL> {
  static constexpr char kTypeName[] = "GstSradReduce";
  static constexpr char kLongName[] = "SRAD reduce stage";
  static constexpr char kSummary[] =
      "Speckle reduction, stage 3 of 6: computes mean and variance of the image, a measure of its "
      "speckle";

  static StageDescription description() {
    return {.inputs = {{kSradImage, "sradextract"}, {kSradSquares, "sradprepare"}},
            .whole = {},
            .joins = true};
  }
};

}  // namespace
}  // namespace tandem

GType gst_srad_reduce_get_type() { return tandem::StageElement<tandem::SradReduce>::get_type(); }
