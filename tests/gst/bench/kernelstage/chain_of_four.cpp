// SPDX-License-Identifier: LGPL-2.1-or-later
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "model/median.h"
#include "tests/gst/bench/kernelstage/rows.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr Size kSize{1920, 1080};
constexpr double kSearchSeconds = 0.3, kFinalSeconds = 0.6;
constexpr int kSearchRounds = 3, kFinalRounds = 9, kFinals = 3, kTrainings = 3, kStarts = 5;

// Edges after Canny, without the following of weak ones.
const char* const kStages[] = {
    R"(//!STAGE blur
constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
//!READ luma halo=2
//!WRITE blurred float32
//!MAP
float sum = 0;
for (int dy = -2; dy <= 2; ++dy)
  for (int dx = -2; dx <= 2; ++dx) sum += weights[dy + 2] * weights[dx + 2] * luma(dx, dy);
blurred = sum;
)",
    R"(//!STAGE gradient
//!READ blurred float32 halo=1
//!WRITE strength float32
//!WRITE direction uint8
//!MAP
float gx = blurred(1, 0) - blurred(-1, 0), gy = blurred(0, 1) - blurred(0, -1);
strength = sqrt(gx * gx + gy * gy);
direction = fabs(gx) > 2.414f * fabs(gy) ? 0 : fabs(gy) > 2.414f * fabs(gx) ? 1 : gx * gy > 0 ? 2 : 3;
)",
    R"(//!STAGE thin
//!READ strength float32 halo=1
//!READ direction uint8
//!WRITE ridge float32
//!MAP
float s = strength(0, 0);
int d = direction(0, 0);
float a = d == 0 ? strength(-1, 0) : d == 1 ? strength(0, -1) : d == 2 ? strength(-1, -1) : strength(1, -1);
float b = d == 0 ? strength(1, 0) : d == 1 ? strength(0, 1) : d == 2 ? strength(1, 1) : strength(-1, 1);
ridge = s >= a && s > b ? s : 0;
)",
    R"(//!STAGE edges
//!PARAM low float 4 0..400 Least gradient of an edge beside a strong one (levels)
//!PARAM high float 12 0..400 Least gradient of a strong edge (levels)
//!READ ridge float32 halo=1
//!WRITE edges uint8
//!MAP
float greatest = 0;
for (int dy = -1; dy <= 1; ++dy)
  for (int dx = -1; dx <= 1; ++dx) greatest = fmax(greatest, ridge(dx, dy));
edges = ridge(0, 0) >= low && greatest >= high ? 255 : 0;
)"};

/// A folder with the files, which goes with this.
class Files {
 public:
  Files() : folder_((fs::temp_directory_path() / "kernelstage_bench-XXXXXX").string()) {
    if (!mkdtemp(folder_.data())) throw std::runtime_error("cannot make a folder for stage files");
    for (std::size_t i = 0; i < std::size(kStages); ++i) {
      const std::string path = folder_ + "/" + std::to_string(i + 1) + ".cl";
      std::ofstream(path) << kStages[i];
      chain_ += (i > 0 ? " ! kernelstage location=" : "kernelstage location=") + path;
    }
  }
  ~Files() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  const std::string& chain() const { return chain_; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_, chain_;
};

struct Start {
  double seconds = 0, core_seconds = 0;
};

// Of this process and the compilers that it waited for.
double core_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage;
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
}

// Another process, which keeps what it compiles in `cache`.
Start start(const StageBench& bench, const std::string& cache, const std::string& files) {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    throw std::runtime_error("/proc/self/exe cannot be read");
  // Drivers have caches of their own.
  const std::string command = "TANDEM_CACHE_DIR='" + cache + "/tandem' POCL_CACHE_DIR='" + cache +
                              "/pocl' CUDA_CACHE_PATH='" + cache + "/cuda' '" + self +
                              "' --opencl-device '" + bench.device + "' --start-once '" + files +
                              "'";
  FILE* const pipe = popen(command.c_str(), "r");
  Start start;
  const int read = pipe ? std::fscanf(pipe, "%lf %lf", &start.seconds, &start.core_seconds) : 0;
  if (!pipe || pclose(pipe) != 0 || read != 2)
    throw std::runtime_error("the process that starts a chain fails");
  return start;
}

}  // namespace

void print_chosen(const StageBench& bench, const char* what, const std::string& chain) {
  const Frames frames(kSize);
  FedBin::Options options;
  options.device = bench.device;
  std::vector<std::string> list, chosen;
  for (int i = 0; i < kTrainings; ++i) {
    FedBin bin(options, chain, "caps");
    bin.begin(kSize);
    if (!bin.run_until_decided(frames.buffers, 60))
      throw std::runtime_error("no training ended within a minute");
    chosen.push_back(bin.stats().configuration);
    const std::vector<std::string> some = candidates(bin);
    list.insert(list.end(), some.begin(), some.end());
  }
  const std::vector<SteadyRate> found =
      steady_rates(options, chain, frames, list, kSearchSeconds, kSearchRounds);
  // Measured again: the greatest of many medians owes a part to chance.
  list = chosen;
  for (std::size_t i = 0; i < std::min<std::size_t>(kFinals, found.size()); ++i)
    list.push_back(found[i].configuration);
  const std::vector<SteadyRate> rates =
      steady_rates(options, chain, frames, list, kFinalSeconds, kFinalRounds);
  std::printf(
      "\n| %s, chosen | frames/s | best | frames/s | ratio | bar | reached |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | --- |\n",
      what);
  for (const std::string& one : chosen) {
    const double fps = rate_of(rates, one).fps, ratio = fps / rates.front().fps;
    std::printf("| %s | %.1f | %s | %.1f | %.2f | 0.95 | %s |\n", one.c_str(), fps,
                rates.front().configuration.c_str(), rates.front().fps, ratio,
                ratio >= 0.95 ? "yes" : "NO");
  }
  std::fflush(stdout);
}

void bench_chosen(const StageBench& bench) {
  const Files files;
  print_chosen(bench, "chain of four", files.chain());
}

void start_once(const std::string& device, const std::string& folder) {
  std::string chain;
  for (std::size_t i = 0; i < std::size(kStages); ++i)
    chain += (i > 0 ? " ! kernelstage location=" : "kernelstage location=") + folder + "/" +
             std::to_string(i + 1) + ".cl";
  const std::vector<GstBuffer*> frames = make_frames(kSize, 1);
  FedBin::Options options;
  options.device = device;
  const auto begin = Clock::now();
  const double core_begin_s = core_seconds();
  FedBin bin(options, chain, "both");
  bin.begin(kSize);
  while (bin.delivered() == 0 && seconds_since(begin) < 60) bin.feed(frames);
  std::printf("%.4f %.4f\n", seconds_since(begin), core_seconds() - core_begin_s);
  gst_buffer_unref(frames.front());
  std::fflush(stdout);
}

void bench_start(const StageBench& bench) {
  const Files files;
  std::array<std::vector<double>, 2> seconds, core;  // cold, warm
  for (int i = 0; i < kStarts; ++i) {
    const std::string cache = files.folder() + "/cache" + std::to_string(i);
    for (const char* of : {"/tandem", "/pocl", "/cuda"}) fs::create_directories(cache + of);
    for (std::size_t warm = 0; warm < 2; ++warm) {
      const Start one = start(bench, cache, files.folder());
      seconds[warm].push_back(one.seconds);
      core[warm].push_back(one.core_seconds);
    }
  }
  std::puts(
      "\n| chain of four, first frame | s (median) | least | most | processor, s | bar | reached "
      "|\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- |");
  for (std::size_t warm = 0; warm < 2; ++warm) {
    const auto [least, most] = std::ranges::minmax(seconds[warm]);
    const double bar = warm ? 0.2 : 3, middle = median(seconds[warm]);
    std::printf("| %s | %.3f | %.3f | %.3f | %.3f | %.1f | %s |\n", warm ? "warm" : "cold", middle,
                least, most, median(core[warm]), bar, middle <= bar ? "yes" : "NO");
  }
  std::fflush(stdout);
}

}  // namespace tandem
