// SPDX-License-Identifier: LGPL-2.1-or-later
#include <vector>

#include "kernels/network_input/network_input.h"
#include "kernels/network_input_cl.h"

namespace tandem::network {
namespace {

struct Int4 {
  alignas(16) int32_t values[4];
};

template <class Value>
opencl::ConstantData on_device(opencl::Context& context, const InputTransform& t,
                               std::vector<Value> ResizeAxis::*member) {
  std::vector<Value> all;
  for (const ResizeAxis* axis : {&t.across, &t.down, &t.chroma_across, &t.chroma_down})
    all.insert(all.end(), (axis->*member).begin(), (axis->*member).end());
  return opencl::constant_data(context, all.data(), all.size() * sizeof(Value));
}

static_assert(sizeof(ChannelMap) == 7 * sizeof(float), "the kernel reads 7 numbers a channel");

std::string options_of(const InputTransform& t) {
  return opencl::define("CHANNELS", t.channels) + (t.uses_chroma ? " -DCHROMA" : "");
}

}  // namespace

NetworkInputOpenCL::NetworkInputOpenCL(opencl::Context& context, const InputTransform& t)
    : placement_(t.placement),
      taps_{t.across.taps, t.down.taps, t.chroma_across.taps, t.chroma_down.taps},
      firsts_(on_device(context, t, &ResizeAxis::first)),
      weights_(on_device(context, t, &ResizeAxis::weights)),
      maps_(opencl::constant_data(context, t.maps.data(), sizeof t.maps)),
      kernel_(context, opencl::build_program(context, network_input_cl, options_of(t)),
              "network_input"),
      group_(kernel_.group_size(opencl::kRowGroup)) {}

void NetworkInputOpenCL::enqueue(opencl::Queue& queue, const Frame& frame,
                                 const opencl::DeviceSpan& input, Rows rows) const {
  if (rows.count() <= 0) return;
  const Placement& p = placement_;
  // An argument of the kernel has to be memory, even where it is not read.
  const opencl::DevicePlane& u = frame.u.mem ? frame.u : frame.luma;
  const opencl::DevicePlane& v = frame.v.mem ? frame.v : frame.luma;
  kernel_.enqueue(queue,
                  {opencl::round_up(static_cast<std::size_t>(p.input_width), group_),
                   static_cast<std::size_t>(rows.count())},
                  {group_, 1}, frame.luma, frame.luma.width, frame.luma.height, u, v, u.width,
                  u.height, frame.chroma_step, firsts_, weights_,
                  Int4{{taps_[0], taps_[1], taps_[2], taps_[3]}}, maps_,
                  Int4{{p.x, p.y, p.width, p.height}}, input, p.input_width, p.input_height,
                  rows.begin, rows.count());
}

}  // namespace tandem::network
