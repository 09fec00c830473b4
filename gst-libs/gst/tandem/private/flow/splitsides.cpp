// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/flow/splitsides.h>
#include <gst/tandem/private/flow/stageadapter.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace tandem {
namespace {

int planes_of(const GstTandemWork& work, int output) {
  return work.planes[static_cast<std::size_t>(output)];
}

opencl::Buffer::Halves halves_of(const GstTandemWork& work, int output, const SplitRows& rows) {
  return {planes_of(work, output), work.row_begin(output, rows.device_end),
          work.row_begin(output, rows.cores_begin)};
}

// The rows of an input that each side needs.
SplitRows rows_of_input(const GstTandemWork& work, int input, const SplitRows& rows,
                        const GstTandemWork& maker) {
  const Rows device = work.needs(input, {0, rows.device_end});
  const Rows cores = work.needs(input, {rows.cores_begin, work.rows});
  return {device.count() > 0 ? device.end : 0, cores.count() > 0 ? cores.begin : maker.rows};
}

// The producer of an input with rows; null: it has no rows.
const GstTandemWork* maker_of(const FrameItem& item, const GstTandemFrame& frame,
                              std::size_t input) {
  const auto [stage, output] = frame.makers[input];
  if (stage < 0 || frame.local_inputs[input]) return nullptr;
  const GstTandemWork& maker = *item.slots[stage].work;
  return maker.splits() && planes_of(maker, output) > 0 ? &maker : nullptr;
}

}  // namespace

SplitRows SplitSides::needs(const FrameItem& item, int index, int producer, const SplitRows& rows) {
  const GstTandemFrame& frame = item.slots[index];
  const GstTandemWork& work = *frame.work;
  SplitRows needed = SplitRows::none(std::numeric_limits<int>::max());
  for (std::size_t i = 0; work.splits() && i < work.inputs.size(); ++i) {
    const GstTandemWork* maker = maker_of(item, frame, i);
    if (maker && frame.makers[i].stage == producer)
      needed = needed.with(rows_of_input(work, static_cast<int>(i), rows, *maker));
  }
  return needed;
}

// An input without rows is copied to each side as a whole when it is needed.
void SplitSides::share_inputs(const SplitRows& rows) {
  const GstTandemWork& work = *frame_.work;
  for (std::size_t i = 0; i < work.inputs.size(); ++i) {
    const GstTandemWork* maker = maker_of(item_, frame_, i);
    if (maker == nullptr) continue;
    const SplitRows needed = rows_of_input(work, static_cast<int>(i), rows, *maker);
    const auto [stage, output] = frame_.makers[i];
    const bool overwritten = stage >= index_;  // it is of the round before
    const bool late =
        frame_.inputs[i].buffer->share(item_.queue(), opencl::Buffer::Access::read,
                                       halves_of(*maker, output, needed), overwritten);
    std::atomic<int>& border = maker->border[static_cast<std::size_t>(output)];
    if (late)
      border = std::max(border.load(), item_.slots[stage].split.cores_begin - needed.cores_begin);
  }
}

void SplitSides::share_outputs(const SplitRows& rows) {
  const GstTandemWork& work = *frame_.work;
  for (int o = 0; o < static_cast<int>(work.outputs.size()); ++o) {
    opencl::Buffer& output = *frame_.outputs[o].buffer;
    if (planes_of(work, o) > 0) {
      output.share(item_.queue(), opencl::Buffer::Access::write, halves_of(work, o, rows));
    } else if (work.outputs[static_cast<std::size_t>(o)].scratch) {
      output.share_apart(item_.queue());
    }
  }
}

Status SplitSides::share(const SplitRows& rows) {
  if (!frame_.work->context) return Status::device_failed(frame_.work->device_problem);
  if (!frame_.work->splits())
    return Status::failed(item_.stages[index_]->name() + " cannot be split.");
  localise_inputs(frame_);
  share_inputs(rows);
  frame_.split = rows;
  share_outputs(rows);
  return {};
}

// The rows of this segment's device that the next segment's cores read come with the batch.
void SplitSides::enqueue_borders(const SplitRows& rows) {
  const GstTandemWork& work = *frame_.work;
  for (int o = 0; o < static_cast<int>(work.outputs.size()); ++o) {
    const int border = work.border[static_cast<std::size_t>(o)];
    if (border == 0 || planes_of(work, o) == 0) continue;
    const int begin = std::max(0, rows.cores_begin - border);
    frame_.outputs[o].buffer->enqueue_border(item_.queue(), work.row_begin(o, begin));
  }
}

Status SplitSides::enqueue(const SplitRows& rows, bool to_host) {
  if (rows.device_end == 0) return {};
  frame_.enqueue_first(item_.queue(), rows.device_end);
  enqueue_borders(rows);
  if (!to_host && !item_.is_to_host(index_)) return {};
  // The cores may still read what the round before left on the host.
  if (item_.repeat.holds(index_)) return {};
  const GstTandemWork& work = *frame_.work;
  for (int o = 0; o < static_cast<int>(work.outputs.size()); ++o) {
    if (work.outputs[static_cast<std::size_t>(o)].scratch || planes_of(work, o) == 0) continue;
    frame_.outputs[o].buffer->enqueue_download(item_.queue());
  }
  return {};
}

void SplitSides::join(const SplitRows& rows) {
  for (const SlotTensor& each : frame_.inputs)
    if (each.buffer) each.buffer->unshare();
  for (const SlotTensor& each : frame_.outputs)
    if (each.buffer) each.buffer->unshare();
  frame_.call(&GstTandemStageClass::join, GstTandemFrame::Inside::join, rows.device_end,
              rows.cores_begin);
  const bool comes_again = item_.repeat.holds(index_) && item_.round + 1 < item_.repeat.rounds;
  if (!item_.is_to_host(index_) || comes_again) return;
  for (const SlotTensor& each : frame_.outputs)
    if (each.buffer && !each.spec.scratch) each.buffer->host(opencl::Buffer::Access::read);
}

}  // namespace tandem
