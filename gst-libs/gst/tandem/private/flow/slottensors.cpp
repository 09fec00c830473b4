// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/tensorpool.h>
#include <gst/tandem/tensormeta.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace tandem {
namespace {

// The output of another stage. Sets `found` and `maker` where there is one.
void find_made(const FrameItem& item, int index, TensorName wanted, SlotTensor& found,
               GstTandemFrame::Maker& maker) {
  const auto search = [&](int last, int first) {
    for (int k = last; k >= first && !found.memory; --k) {
      for (int o = 0; o < kMaxTensors; ++o) {
        const SlotTensor& made = item.slots[k].outputs[o];
        if (!made.memory || made.spec.scratch || !(made.spec.name == wanted)) continue;
        found = made;
        maker = {k, o};
      }
    }
  };
  // The latest first: in later rounds the stages behind this one have been there as well.
  const Repeat& repeat = item.repeat;
  const bool again = item.round > 0;
  search(index - 1, again ? repeat.first : 0);
  if (again) {
    search(repeat.last, index);
    search(repeat.first - 1, 0);
  }
}

// A tensor on the buffer.
Status find_on_buffer(const FrameItem& item, int index, const StageDescription::Input& wanted,
                      SlotTensor& found) {
  const auto* meta = gst_buffer_get_tandem_tensor_meta(item.buffer, wanted.tensor.text());
  if (!meta) {
    const std::string name = item.stages[index]->name();
    return Status::failed(name + " needs the tensor '" + wanted.tensor.text() + "', which " +
                          wanted.producer + " makes: put " + wanted.producer + " before " + name +
                          ".");
  }
  found.spec = {
      TensorName::of_interned(meta->name), meta->element_type, meta->dimensions, {}, false};
  std::copy_n(meta->shape, meta->dimensions, found.spec.shape.begin());
  found.memory = meta->memory;
  found.buffer = tandem_memory_buffer(meta->memory);
  if (!found.buffer || found.buffer->size() < found.spec.bytes()) {
    return Status::failed(std::string("The tensor '") + wanted.tensor.text() +
                          "' on the frame was not made by " + wanted.producer + ".");
  }
  return {};
}

}  // namespace

bool lacks_input(const StageDescription& description, GstBuffer* buffer) {
  return std::ranges::any_of(description.inputs, [buffer](const StageDescription::Input& input) {
    return !gst_buffer_get_tandem_tensor_meta(buffer, input.tensor.text());
  });
}

Status find_inputs(FrameItem& item, int index, const StageDescription& description) {
  GstTandemFrame& frame = item.slots[index];
  int i = 0;
  for (const StageDescription::Input& wanted : description.inputs) {
    SlotTensor& found = frame.inputs[i];
    GstTandemFrame::Maker& maker = frame.makers[i++];
    found = {};
    maker = {};
    find_made(item, index, wanted.tensor, found, maker);
    if (found.memory) {
      found.buffer->abandon_share();  // of a part of the way that ended with a failure
    } else if (Status status = find_on_buffer(item, index, wanted, found); !status.ok()) {
      return status;
    }
  }
  return {};
}

void take_outputs(GstTandemFrame& frame, const opencl::Queue* queue) {
  const auto& specs = frame.work->outputs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    MemoryRef& memory = frame.memories[i];
    if (memory) {  // the device failed: the CPU writes the same outputs
      frame.outputs[i].buffer->discard();
      continue;
    }
    memory = frame.work->pools[i]->acquire(queue ? queue->device() : -1);
    frame.outputs[i] = {specs[i], memory.get(), tandem_memory_buffer(memory.get())};
  }
}

// Tensors of another device or of the CPU alone (a stage before the bin, or one with another
// `device`) go through the host.
void localise_inputs(GstTandemFrame& frame) {
  using Access = opencl::Buffer::Access;
  for (std::size_t i = 0; i < frame.work->inputs.size(); ++i) {
    SlotTensor& input = frame.inputs[i];
    if (input.buffer->context() == frame.work->context.get()) continue;
    frame.local_inputs[i] = frame.work->input_pools[i]->acquire();
    opencl::Buffer* local = tandem_memory_buffer(frame.local_inputs[i].get());
    std::memcpy(local->host(Access::write), input.buffer->host(Access::read), input.spec.bytes());
    input.memory = frame.local_inputs[i].get();
    input.buffer = local;
  }
}

void bring_to_host(GstTandemFrame& frame) {
  using Access = opencl::Buffer::Access;
  const auto host = [](const SlotTensor& tensor, Access access) -> void* {
    return tensor.buffer ? tensor.buffer->host(access) : nullptr;
  };
  // Inputs first: an output may be one of them.
  for (int i = 0; i < kMaxTensors; ++i) frame.host_inputs[i] = host(frame.inputs[i], Access::read);
  for (int i = 0; i < kMaxTensors; ++i)
    frame.host_outputs[i] = host(frame.outputs[i], Access::write);
}

}  // namespace tandem
