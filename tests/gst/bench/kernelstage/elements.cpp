// SPDX-License-Identifier: LGPL-2.1-or-later
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "kernels/stage_file/codegen/fuse.h"
#include "tests/gst/bench/kernelstage/in_turn.h"
#include "tests/gst/bench/kernelstage/rows.h"
#include "tests/gst/bench/kernelstage/stage_chain.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;

constexpr Size kFrameSize{1920, 1080};
constexpr int kBatchOfFrames = 20;  // enqueued before the device is waited for
constexpr double kBinSeconds = 0.3;
constexpr int kBinRounds = 7;

using Texts = std::vector<std::string>;

const Texts kTensorStages{
    "//!STAGE linear\n//!READ luma\n//!WRITE linear float32\n//!MAP\n"
    "linear = luma(0, 0) * luma(0, 0) * (1.0f / 65025);\n",
    "//!STAGE scaled\n//!READ linear float32\n//!WRITE scaled float32\n//!MAP\n"
    "scaled = 0.8f * linear(0, 0) + 0.1f;\n",
    "//!STAGE level\n//!READ scaled float32\n//!WRITE level uint8\n//!MAP\n"
    "level = convert_uchar_sat(255 * scaled(0, 0));\n"};
const Texts kLumaStages{
    "//!STAGE brighter\n//!READ luma\n//!WRITE luma\n//!MAP\n"
    "luma = convert_uchar_sat(luma(0, 0) * 1.25f);\n",
    "//!STAGE contrast\n//!READ luma\n//!WRITE luma\n//!MAP\n"
    "luma = convert_uchar_sat((luma(0, 0) - 128) * 1.5f + 128);\n",
    "//!STAGE inverse\n//!READ luma\n//!WRITE luma\n//!MAP\nluma = 255 - luma(0, 0);\n"};

std::vector<StageFile> parse_each(const Texts& texts) {
  std::vector<StageFile> files;
  for (const std::string& text : texts) files.push_back(parse_stage_file(text, "map.cl"));
  return files;
}

StageFile in_one(const std::vector<StageFile>& files) {
  std::vector<const StageFile*> all;
  for (const StageFile& file : files) all.push_back(&file);
  auto fused = fuse_stage_files(all, {.is_read = [](const std::string&) { return false; }});
  if (!fused) throw std::runtime_error("the maps are not one loop");
  return std::move(fused->file);
}

void code_alone(const StageBench& bench) {
  const auto files = parse_each(kTensorStages);
  StageChain apart(files, bench.context, kFrameSize.width, kFrameSize.height);
  StageChain fused(std::vector{in_one(files)}, bench.context, kFrameSize.width, kFrameSize.height);
  for (StageChain* chain : {&apart, &fused}) {
    opencl::Buffer& luma = chain->buffer("luma");
    auto* const levels = static_cast<uint8_t*>(luma.host(Access::write));
    for (std::size_t i = 0; i < luma.size(); ++i) levels[i] = static_cast<uint8_t>(i * 7 / 16);
    chain->on_one_core();
  }
  const auto expect_same_levels = [&] {
    opencl::Buffer &a = apart.buffer("level"), &b = fused.buffer("level");
    if (std::memcmp(a.host(Access::read), b.host(Access::read), a.size()) != 0)
      throw std::runtime_error("one pass computes something else");
  };
  expect_same_levels();
  print_ratio(
      "three elements one by one and in one pass, code", "one core", 2, bench.rounds,
      [&] { apart.on_one_core(); }, [&] { fused.on_one_core(); });
  if (!bench.context) return;
  opencl::Queue queue(bench.context);
  const auto run = [&](StageChain& chain) {
    for (int i = 0; i < kBatchOfFrames; ++i) chain.enqueue(queue);
    queue.finish();
  };
  print_ratio(
      "three elements one by one and in one pass, code", "device", 2, bench.rounds,
      [&] { run(apart); }, [&] { run(fused); }, kBatchOfFrames);
  expect_same_levels();
}

/// A folder with the files of a chain, which goes with this.
class ChainFiles {
 public:
  explicit ChainFiles(const Texts& texts)
      : folder_((std::filesystem::temp_directory_path() / "kernelstage_bench-XXXXXX").string()) {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("cannot make a folder for stage files");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string path = folder_ + "/" + std::to_string(i + 1) + ".cl";
      std::ofstream(path) << texts[i];
      chain_ += (i > 0 ? " ! kernelstage location=" : "kernelstage location=") + path;
    }
  }
  ~ChainFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ChainFiles(const ChainFiles&) = delete;
  ChainFiles& operator=(const ChainFiles&) = delete;

  const std::string& chain() const { return chain_; }

 private:
  std::string folder_, chain_;
};

void through_the_bin(const StageBench& bench, const char* what, const Texts& texts,
                     const char* configuration, const char* side) {
  const ChainFiles files(texts);
  const Frames frames(kFrameSize);
  FedBin::Options options;
  options.device = bench.device;
  FedBin fused(options, files.chain(), "off"), apart(options, files.chain(), "off");
  const auto begin = [&](FedBin& bin) {
    bin.set("cpu-fallback", "false");
    bin.force(configuration);
    bin.begin(kFrameSize);
    bin.run(frames.buffers, kBinSeconds);
  };
  begin(fused);
  setenv("TANDEM_NO_FUSION", "1", 1);
  begin(apart);
  unsetenv("TANDEM_NO_FUSION");
  std::vector<double> apart_ms, fused_ms, ratios;
  for (int round = 0; round < kBinRounds; ++round) {
    apart_ms.push_back(1e3 / apart.run(frames.buffers, kBinSeconds));
    fused_ms.push_back(1e3 / fused.run(frames.buffers, kBinSeconds));
    ratios.push_back(apart_ms.back() / fused_ms.back());
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  std::printf("| %s, %s | %s | %.4f | %.4f | %.2f (%.2f to %.2f) | | | |\n", what, configuration,
              side, median(apart_ms), median(fused_ms), median(ratios), least, most);
  std::fflush(stdout);
}

}  // namespace

void bench_elements_chosen(const StageBench& bench) {
  const ChainFiles tensors(kTensorStages), pixels(kLumaStages);
  print_chosen(bench, "three elements with tensors", tensors.chain());
  print_chosen(bench, "three elements that change luma", pixels.chain());
}

void bench_elements(const StageBench& bench) {
  code_alone(bench);
  through_the_bin(bench, "three elements with tensors, bin", kTensorStages, "ccc/cg1", "one core");
  through_the_bin(bench, "three elements that change luma, bin", kLumaStages, "ccc/cg1",
                  "one core");
  if (!bench.context) return;
  for (const char* lanes : {"ggg/cg1", "ggg/cg1/q4"}) {
    through_the_bin(bench, "three elements with tensors, bin", kTensorStages, lanes, "device");
    through_the_bin(bench, "three elements that change luma, bin", kLumaStages, lanes, "device");
  }
}

}  // namespace tandem
