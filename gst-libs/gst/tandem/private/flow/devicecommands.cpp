// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/flow/devicecommands.h>
#include <gst/tandem/private/flow/slottensors.h>

namespace tandem {

Status DeviceCommands::enqueue(bool to_host) {
  if (!frame_.work->context) return Status::device_failed(frame_.work->device_problem);
  if (item_.round > 0) queue().wait_for_downloads();  // of its outputs in the round before
  localise_inputs(frame_);
  frame_.enqueue(queue());
  if (!to_host && !item_.tensors_to_host) return {};
  for (const SlotTensor& output : frame_.outputs)
    if (output.buffer && !output.spec.scratch) output.buffer->enqueue_download(queue());
  return {};
}

Status DeviceCommands::enqueue_band(Rows rows, bool to_host) {
  if (!frame_.work->context) return Status::device_failed(frame_.work->device_problem);
  if (rows.begin == 0) {
    if (item_.round > 0) queue().wait_for_downloads();
    localise_inputs(frame_);
  }
  const opencl::Queue::CopiesBeside beside(queue());
  frame_.enqueue_band(queue(), rows);
  if (!to_host && !item_.tensors_to_host) return {};
  const auto& outputs = frame_.work->outputs;
  for (int o = 0; o < static_cast<int>(outputs.size()); ++o)
    if (!outputs[static_cast<std::size_t>(o)].scratch) frame_.download_rows(queue(), o, rows);
  return {};
}

Status DeviceCommands::enqueue_copy(bool to_host) {
  using Access = opencl::Buffer::Access;
  for (const SlotTensor& output : frame_.outputs) {
    if (!output.buffer || output.spec.scratch) continue;
    if (to_host) {
      output.buffer->enqueue_download(queue());
    } else {
      output.buffer->host(Access::read_write);  // makes the device side stale
      output.buffer->device(queue(), Access::read);
    }
  }
  return {};
}

}  // namespace tandem
