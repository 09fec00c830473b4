// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/network/network.h"

/// oneDNN 2.6 to 3.x behind one interface, and the layouts that networks use.
namespace tandem::network::cpu {

using Layout = dnnl::memory::desc;

#if DNNL_VERSION_MAJOR >= 3
using PoolPrimitive = dnnl::pooling_forward;
using SoftmaxPrimitive = dnnl::softmax_forward;
#else
using PoolPrimitive = dnnl::pooling_v2_forward;
using SoftmaxPrimitive = dnnl::softmax_v2_forward;
#endif

const dnnl::engine& engine();

/// The description of a primitive; `arguments` are those of its operation descriptor. Throws
/// dnnl::error where oneDNN has no code for it.
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc described(const dnnl::primitive_attr& attributes,
                                             Arguments&&... arguments) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), std::forward<Arguments>(arguments)..., attributes};
#else
  return {typename Primitive::desc(std::forward<Arguments>(arguments)...), attributes, engine()};
#endif
}

/// Attributes with a scratchpad that the caller owns.
dnnl::primitive_attr attributes_with(const dnnl::post_ops& after = {});

/// Appends what computes `activation`.
void append(dnnl::post_ops& after, const Activation& activation);
/// Primitives that compute `activation` one after the other, the first from one memory to another
/// or in place, the others in place.
std::vector<dnnl::eltwise_forward::primitive_desc> described_activation(
    const Activation& activation, const Layout& layout);

/// Whether oneDNN computes it with its slow code for all cases.
bool is_reference(const std::string& implementation);

/// Row-major. A shape without sides has one of 1.
Layout plain(const Shape& shape);
/// N x C/block x H x W x block, with as many channels a block as a vector has elements. The last
/// block is filled up with zeros. Images only.
Layout blocked(const Shape& shape);
int64_t channels_of_block();
/// Any layout that the primitive prefers.
Layout any_layout(const dnnl::memory::dims& sides);

/// While it lives, oneDNN computes on this thread alone. OpenMP has a number of threads for each
/// thread that calls.
class OnThisThread {
 public:
  OnThisThread();
  ~OnThisThread();
  OnThisThread(const OnThisThread&) = delete;
  OnThisThread& operator=(const OnThisThread&) = delete;

 private:
  int threads_;
};

}  // namespace tandem::network::cpu
