// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/kernelstage/stage_chain.h"

#include <array>
#include <cstring>

namespace tandem {

using Access = opencl::Buffer::Access;
using Role = StageTensor::Role;

namespace {

std::vector<StageFile> parse_all(const std::vector<std::string>& texts) {
  std::vector<StageFile> files;
  for (const std::string& text : texts)
    files.push_back(parse_stage_file(text, "stage" + std::to_string(files.size() + 1) + ".cl"));
  return files;
}

}  // namespace

StageChain::StageChain(const std::vector<std::string>& texts,
                       std::shared_ptr<opencl::Context> context, int width, int height)
    : StageChain(parse_all(texts), std::move(context), width, height) {}

StageChain::StageChain(std::vector<StageFile> files, std::shared_ptr<opencl::Context> context,
                       int width, int height)
    : width_(width), height_(height) {
  for (StageFile& file : files) {
    Stage stage;
    stage.file = std::move(file);
    stage.plan = plan_stage(stage.file);
    stage.host = std::make_unique<HostStage>(stage.file, stage.plan);
    if (context) stage.device = std::make_unique<StageFileOpenCL>(*context, stage.file, stage.plan);
    for (const StageParameter& p : stage.file.parameters)
      stage.parameters.push_back(initial_value(p));
    for (std::size_t i = 0; i < stage.plan.tensors.size(); ++i) {
      const StageTensor& tensor = stage.plan.tensors[i];
      const bool named = tensor.role == Role::kInput || tensor.role == Role::kOutput;
      // What nobody else sees has a name that no tensor has.
      const std::string name = named                          ? tensor.tensor
                               : tensor.role == Role::kPixels ? tensor.name
                                                              : stage.file.path + std::to_string(i);
      stage.buffers.push_back(name);
      const auto elements = static_cast<std::size_t>(tensor.shape.columns(width)) *
                            static_cast<std::size_t>(tensor.shape.rows(height));
      std::unique_ptr<opencl::Buffer>& buffer = buffers_[name];
      if (buffer) continue;
      buffer = std::make_unique<opencl::Buffer>(context, elements * bytes_of(tensor.type));
      std::memset(buffer->host(Access::write), 0, buffer->size());
    }
    stages_.push_back(std::move(stage));
  }
}

template <typename Data, typename Run>
void StageChain::each(const Data& data, const Run& run) {
  for (const Stage& stage : stages_) {
    std::array<StageView, kMostStageTensors> views;
    for (std::size_t i = 0; i < stage.buffers.size(); ++i) {
      const StageShape& shape = stage.plan.tensors[i].shape;
      const int columns = shape.columns(width_);
      views[i] = {data(*buffers_.at(stage.buffers[i])), columns, columns, shape.rows(height_)};
    }
    run(stage, StageCall{.width = width_,
                         .height = height_,
                         .parameters = stage.parameters.data(),
                         .tensors = views.data()});
  }
}

void StageChain::on_one_core() {
  each([](opencl::Buffer& buffer) { return buffer.host(Access::read_write); },
       [](const Stage& stage, const StageCall& call) {
         stage.host->compute(call, {0, stage.host->rows(call)});
         stage.host->combine(call);
       });
}

void StageChain::enqueue(opencl::Queue& queue) {
  each([&](opencl::Buffer& buffer) { return buffer.device(queue, Access::read_write); },
       [&](const Stage& stage, const StageCall& call) { stage.device->enqueue(queue, call); });
}

}  // namespace tandem
