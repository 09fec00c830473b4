// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "gst/elements/elements.h"
#include "gst/elements/network/networkmodel.h"
#include "gst/elements/network/sharednetwork.h"
#include "gst/elements/stageelement.h"

namespace tandem {
namespace {

using network::Network;
using network::NetworkCpu;
using network::NetworkOpenCL;

static_assert(std::is_trivially_destructible_v<NetworkCpu::Frame>);  // never destroyed

/// An output of the network as a tensor. Sides beyond those of a tensor become its outermost one.
TensorSpec output_spec(TensorName name, const network::Shape& shape) {
  TensorSpec spec = TensorSpec::of<float>(name, 1);
  const std::size_t most = spec.shape.size();
  const std::size_t merged = shape.size() > most ? shape.size() - most : 0;
  spec.dimensions = std::max<guint>(1, static_cast<guint>(shape.size() - merged));
  for (std::size_t i = 0; i <= merged && i < shape.size(); ++i)
    spec.shape[0] *= static_cast<gsize>(shape[i]);
  for (std::size_t i = merged + 1; i < shape.size(); ++i)
    spec.shape[i - merged] = static_cast<gsize>(shape[i]);
  return spec;
}

class DnnStageWork final : public StageWork {
 public:
  DnnStageWork(std::shared_ptr<const Network> network, std::shared_ptr<const NetworkCpu> cpu,
               std::shared_ptr<opencl::Context> context,
               std::shared_ptr<const NetworkOpenCL> device)
      : cpu_(std::move(cpu)), context_(std::move(context)), device_(std::move(device)) {
    for (const int output : network->outputs) {
      const TensorName name =
          outputs_.empty()
              ? TensorName(kDnnOutput)
              : TensorName(
                    (std::string(kDnnOutput) + "-" + std::to_string(outputs_.size())).c_str());
      outputs_.push_back(output_spec(name, network->of(output).shape));
    }
    memory_ = static_cast<int>(outputs_.size());
    shared_ = memory_ + 1;
    outputs_.push_back(TensorSpec::scratch_of<uint8_t>(
        "memory", std::max(cpu_->memory_bytes(), device_ ? device_->memory_bytes() : 0)));
    outputs_.push_back(TensorSpec::scratch_of<uint8_t>("shared", sizeof(NetworkCpu::Frame)));
  }

  void prepare(StageFrame& frame) const override {
    new (frame.output<void>(shared_)) NetworkCpu::Frame;
  }

  /// Calls that share the frame: each takes the next free part of a layer.
  int rows() const override { return SharedRows::kMostThreads; }

  void compute(StageFrame& frame, Rows) const override {
    std::array<float*, kMostOutputs> results;
    for (int i = 0; i < memory_; ++i) results[static_cast<std::size_t>(i)] = frame.output<float>(i);
    const std::array<const float*, 1> image{frame.input<float>(0)};
    cpu_->share(*frame.output<NetworkCpu::Frame>(shared_), image,
                std::span(results).first(static_cast<std::size_t>(memory_)),
                frame.output<void>(memory_), frame.stop());
  }

  void combine(StageFrame& frame) const override {
    if (cpu_->is_done(*frame.output<NetworkCpu::Frame>(shared_)) || frame.stop()()) return;
    throw std::runtime_error(
        "the network was not computed, probably because memory is short: free memory, or set a "
        "lower `threads`");
  }

  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    const std::array<void*, 1> image{frame.device_input(0)};
    std::array<void*, kMostOutputs> results;
    for (int i = 0; i < memory_; ++i) results[static_cast<std::size_t>(i)] = frame.device_output(i);
    device_->enqueue(queue, image, std::span(results).first(static_cast<std::size_t>(memory_)),
                     frame.device_output(memory_));
  }

 private:
  const std::shared_ptr<const NetworkCpu> cpu_;
  const std::shared_ptr<opencl::Context> context_;
  const std::shared_ptr<const NetworkOpenCL> device_;
  int memory_ = 0, shared_ = 0;  // numbers of the outputs that are scratch memory
};

struct DnnStage {
  struct Settings {
    std::string model;
  };

  static constexpr char kTypeName[] = "GstDnnStage";
  static constexpr char kLongName[] = "Neural network stage";
  static constexpr char kSummary[] =
      "Computes the neural network of an ONNX file on the tensor of dnninput";

  static StageDescription description() {
    return {.inputs = {{kDnnInput, "dnninput"}},
            .whole = "each layer needs all rows of the layer before"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"model", "Model", kModelBlurb, &Settings::model},
  };

  std::unique_ptr<DnnStageWork> make_work(const Settings& settings, const WorkRequest& request) {
    auto network = shared_network(settings.model, "dnnstage");
    const TensorSpec& image = request.inputs[0].spec;
    const network::Shape& wanted = network->of(network->inputs[0]).shape;
    if (image.type != GST_TANDEM_ELEMENT_TYPE_FLOAT32 ||
        !std::equal(wanted.begin(), wanted.end(), image.shape.begin(),
                    image.shape.begin() + image.dimensions)) {
      throw std::runtime_error("the tensor '" + std::string(kDnnInput) +
                               "' has another shape than the input of '" + settings.model +
                               "': set the same `model` on dnninput and dnnstage");
    }
    std::shared_ptr<const NetworkOpenCL> device;
    if (request.context) device = network_on_device(network, request.context);
    return std::make_unique<DnnStageWork>(network, network_on_cpu(network), request.context,
                                          std::move(device));
  }
};

}  // namespace
}  // namespace tandem

GType gst_dnn_stage_get_type() { return tandem::StageElement<tandem::DnnStage>::get_type(); }
