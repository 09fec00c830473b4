// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

#include "kernels/vivid_classifier/vivid_model.h"
#include "tests/gst/bench/kernelstage/in_turn.h"
#include "tests/gst/bench/kernelstage/rows.h"
#include "tests/gst/bench/kernelstage/sobel.h"
#include "tests/gst/bench/kernelstage/stage_chain.h"
#include "tests/kernels/vivid/vivid_stage_file.h"

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;

constexpr int kWidth = 1920, kHeight = 1080, kThreshold = 128;
constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;
// Enqueued before the device is waited for: what it computes is to be seen, not the wait.
constexpr int kBatch = 20;

constexpr char kSobel[] = R"(//!STAGE sobel
//!PARAM threshold int 128 0..2040 Least sum of both gradients that makes an edge (levels)
//!READ luma halo=1
//!WRITE edges uint8
//!MAP
int gx = luma(1,-1) - luma(-1,-1) + 2 * (luma(1,0) - luma(-1,0)) + luma(1,1) - luma(-1,1);
int gy = luma(-1,1) - luma(-1,-1) + 2 * (luma(0,1) - luma(0,-1)) + luma(1,1) - luma(1,-1);
ushort sum = abs(gx) + abs(gy);
edges = sum >= threshold ? 255 : 0;
)";

const char* const kMaps[] = {
    "//!READ luma\n//!WRITE linear float32\n//!MAP\nlinear = luma(0,0) * luma(0,0) * (1.0f / "
    "65025);\n",
    "//!READ linear$\n//!WRITE scaled float32\n//!MAP\nscaled = 0.8f * linear(0,0) + 0.1f;\n",
    "//!READ scaled$\n//!WRITE level uint8\n//!MAP\nlevel = convert_uchar_sat(255 * "
    "scaled(0,0));\n"};

void fill_luma(StageChain& chain) {
  std::mt19937 random(1);
  auto* const luma = static_cast<uint8_t*>(chain.buffer("luma").host(Access::write));
  for (std::size_t i = 0; i < kPixels; ++i)
    luma[i] = static_cast<uint8_t>(i % kWidth / 16 + random() % 64);
}

template <typename Value>
Plane<Value> plane(opencl::Buffer& buffer, Access access) {
  return {static_cast<Value*>(buffer.host(access)), kWidth, kHeight, kWidth};
}

void expect_same(const char* what, opencl::Buffer& a, opencl::Buffer& b) {
  if (std::memcmp(a.host(Access::read), b.host(Access::read), a.size()) != 0)
    throw std::runtime_error(std::string(what) + " differs from what is written by hand");
}

/// On the device, a batch waited for.
template <typename Enqueue>
auto batch(opencl::Queue& queue, Enqueue enqueue) {
  return [&queue, enqueue] {
    for (int i = 0; i < kBatch; ++i) enqueue();
    queue.finish();
  };
}

}  // namespace

void bench_sobel(const StageBench& bench) {
  StageChain chain({kSobel}, bench.context, kWidth, kHeight);
  fill_luma(chain);
  opencl::Buffer by_hand(bench.context, kPixels);
  const auto luma = plane<const uint8_t>(chain.buffer("luma"), Access::read);
  const auto edges = plane<uint8_t>(by_hand, Access::write);
  const auto hand = [&] { sobel_by_hand(luma, kThreshold, edges); };
  hand();
  chain.on_one_core();
  expect_same("sobel on the cores", chain.buffer("edges"), by_hand);
  print_ratio("Sobel against Highway", "one core", 0.8, bench.rounds, hand,
              [&] { chain.on_one_core(); });
  if (!bench.context) return;
  opencl::Queue queue(bench.context);
  const SobelOnDevice kernel(*bench.context);
  const auto enqueue = [&] {
    kernel.enqueue(queue, chain.buffer("luma").device(queue, Access::read),
                   by_hand.device(queue, Access::write), kWidth, kHeight, kThreshold);
  };
  enqueue();
  chain.enqueue(queue);
  queue.finish();
  expect_same("sobel on the device", chain.buffer("edges"), by_hand);
  print_ratio("Sobel against OpenCL by hand", "device", 0.95, bench.rounds, batch(queue, enqueue),
              batch(queue, [&] { chain.enqueue(queue); }), kBatch);
}

void bench_vivid(const StageBench& bench) {
  const char* const folder = std::getenv("TANDEM_DATA_DIR");
  const FilterBank bank =
      load_vivid_model(std::string(folder ? folder : ".") + "/models/person.vivid").bank;
  StageChain chain({check::vivid_stage_file(bank)}, bench.context, kWidth, kHeight);
  fill_luma(chain);
  opencl::Buffer index(bench.context, kPixels), weight(bench.context, kPixels * sizeof(float));
  const auto luma = plane<const uint8_t>(chain.buffer("luma"), Access::read);
  const auto ours = [&] {
    vivid_filter_simd(luma, bank, plane<uint8_t>(index, Access::write),
                      plane<float>(weight, Access::write), {0, kHeight});
  };
  ours();
  chain.on_one_core();
  expect_same("the index on the cores", chain.buffer("index"), index);
  print_ratio("ViVid's stage 1 against ours", "one core", 0.5, bench.rounds, ours,
              [&] { chain.on_one_core(); });
  if (!bench.context) return;
  opencl::Queue queue(bench.context);
  VividFilterOpenCL kernel(*bench.context, bank);
  const auto device = [&](opencl::Buffer& buffer, Access access) {
    return opencl::DevicePlane{buffer.device(queue, access), 0, kWidth, kHeight, kWidth};
  };
  const auto enqueue = [&] {
    kernel.enqueue(queue, device(chain.buffer("luma"), Access::read), device(index, Access::write),
                   device(weight, Access::write), {0, kHeight});
  };
  enqueue();
  chain.enqueue(queue);
  queue.finish();
  expect_same("the index on the device", chain.buffer("index"), index);
  print_ratio("ViVid's stage 1 against ours", "device", 0.7, bench.rounds, batch(queue, enqueue),
              batch(queue, [&] { chain.enqueue(queue); }), kBatch);
}

void bench_fused(const StageBench& bench) {
  const auto with = [](std::string text, const char* type) {
    if (const std::size_t at = text.find('$'); at != text.npos) text.replace(at, 1, type);
    return text;
  };
  std::vector<std::string> each;
  std::string all = "//!STAGE fused\n";
  for (const char* map : kMaps) {
    each.push_back("//!STAGE one\n" + with(map, " float32"));
    all += with(map, "");
  }
  // Of the file's own use, as what lies between the elements of a chain is the chain's.
  for (std::size_t at; (at = all.find("float32\n")) != all.npos;)
    all.replace(at, 8, "float32 private\n");
  StageChain fused({all}, bench.context, kWidth, kHeight);
  StageChain apart(each, bench.context, kWidth, kHeight);
  fill_luma(fused);
  fill_luma(apart);
  fused.on_one_core();
  apart.on_one_core();
  expect_same("the fused map", fused.buffer("level"), apart.buffer("level"));
  print_ratio(
      "three maps fused against apart", "one core", 2, bench.rounds, [&] { apart.on_one_core(); },
      [&] { fused.on_one_core(); });
  if (!bench.context) return;
  opencl::Queue queue(bench.context);
  print_ratio("three maps fused against apart", "device", 2, bench.rounds,
              batch(queue, [&] { apart.enqueue(queue); }),
              batch(queue, [&] { fused.enqueue(queue); }), kBatch);
}

}  // namespace tandem
