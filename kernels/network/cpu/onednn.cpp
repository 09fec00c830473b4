// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/cpu/onednn.h"

// libgomp's, without its header, which not all compilers have.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int threads);

namespace tandem::network::cpu {
namespace {

using dnnl::algorithm;
using dnnl::memory;

struct Eltwise {
  algorithm kind;
  float alpha = 0, beta = 0;
};

/// The first of what computes `a`.
Eltwise first_of(const Activation& a) {
  switch (a.kind) {
    case Activation::Kind::none:
      return {algorithm::eltwise_linear, 1, 0};
    case Activation::Kind::relu:
      return {algorithm::eltwise_relu};
    case Activation::Kind::leaky_relu:
      return {algorithm::eltwise_relu, a.alpha};
    case Activation::Kind::clip:
      return {algorithm::eltwise_clip, a.alpha, a.beta};
    case Activation::Kind::sigmoid:
      return {algorithm::eltwise_logistic};
    case Activation::Kind::hard_sigmoid:
      return {algorithm::eltwise_linear, a.alpha, a.beta};
    case Activation::Kind::hard_swish:
#if DNNL_VERSION_MAJOR >= 3
      return {algorithm::eltwise_hardswish, 1.0f / 6, 0.5f};
#else
      return {algorithm::eltwise_hardswish};
#endif
    case Activation::Kind::silu:
      return {algorithm::eltwise_swish, 1};
    case Activation::Kind::tanh:
      return {algorithm::eltwise_tanh};
    case Activation::Kind::exp:
      return {algorithm::eltwise_exp};
    case Activation::Kind::sqrt:
      return {algorithm::eltwise_sqrt};
  }
  return {algorithm::eltwise_linear, 1, 0};
}

std::vector<Eltwise> all_of(const Activation& a) {
  if (a.kind == Activation::Kind::none) return {};
  std::vector<Eltwise> all{first_of(a)};
  // oneDNN before 3.0 has no hard_sigmoid: it is a line and a clip.
  if (a.kind == Activation::Kind::hard_sigmoid) all.push_back({algorithm::eltwise_clip, 0, 1});
  return all;
}

void append_eltwise(dnnl::post_ops& after, const Eltwise& e) {
#if DNNL_VERSION_MAJOR >= 3
  after.append_eltwise(e.kind, e.alpha, e.beta);
#else
  after.append_eltwise(1, e.kind, e.alpha, e.beta);
#endif
}

memory::dims sides_of(const Shape& shape) { return shape.empty() ? memory::dims{1} : shape; }

}  // namespace

const dnnl::engine& engine() {
  static const dnnl::engine cores(dnnl::engine::kind::cpu, 0);
  return cores;
}

dnnl::primitive_attr attributes_with(const dnnl::post_ops& after) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(after);
  return attributes;
}

void append(dnnl::post_ops& after, const Activation& activation) {
  for (const Eltwise& e : all_of(activation)) append_eltwise(after, e);
}

std::vector<dnnl::eltwise_forward::primitive_desc> described_activation(
    const Activation& activation, const Layout& layout) {
  constexpr auto kInference = dnnl::prop_kind::forward_inference;
  std::vector<dnnl::eltwise_forward::primitive_desc> all;
  for (const Eltwise& e : all_of(activation)) {
#if DNNL_VERSION_MAJOR >= 3
    all.emplace_back(engine(), kInference, e.kind, layout, layout, e.alpha, e.beta,
                     attributes_with());
#else
    all.emplace_back(dnnl::eltwise_forward::desc(kInference, e.kind, layout, e.alpha, e.beta),
                     attributes_with(), engine());
#endif
  }
  return all;
}

bool is_reference(const std::string& implementation) {
  return implementation.find("ref") != std::string::npos;
}

Layout plain(const Shape& shape) {
  using Tag = memory::format_tag;
  constexpr Tag kTags[] = {Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde, Tag::abcdef};
  const memory::dims sides = sides_of(shape);
  return {sides, memory::data_type::f32, kTags[sides.size() - 1]};
}

int64_t channels_of_block() {
  static const int64_t channels = [] {
    constexpr auto kWide = static_cast<unsigned>(dnnl::cpu_isa::avx512_core);
    const auto have = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    return (have & kWide) == kWide ? 16 : 8;
  }();
  return channels;
}

Layout blocked(const Shape& shape) {
  return {shape, memory::data_type::f32,
          channels_of_block() == 16 ? memory::format_tag::nChw16c : memory::format_tag::nChw8c};
}

Layout any_layout(const memory::dims& sides) {
  return {sides, memory::data_type::f32, memory::format_tag::any};
}

OnThisThread::OnThisThread() : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
OnThisThread::~OnThisThread() { omp_set_num_threads(threads_); }

}  // namespace tandem::network::cpu
