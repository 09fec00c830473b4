// SPDX-License-Identifier: LGPL-2.1-or-later
// What learning costs and what it is good for, of each application and size: a cold start, the
// choices of several trainings, training by efficiency, and a second process with the knowledge of
// the first. All rates of one application and size that are compared are measured in turn.
//
// A cold start knows nothing and finds no compiled program: Tandem's cache folder is a new one for
// each row, and the caches of NVIDIA's driver and of PoCL are new ones for the process.
// `--programs` names a folder for all three that is kept, so that a second run finds what the first
// compiled. The OpenCL device is opened in the time of a cold start.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <ranges>

#include "tests/gst/support/bench_search.h"
#include "tests/gst/support/derived_sizes.h"

namespace tandem {
namespace {

constexpr char kUsage[] =
    "learning_bench [--application NAME,...] [--sizes WxH|small,...] [--parts "
    "cold,chosen,metrics,knowledge,derived,derive] [--seconds S] [--trainings N] [--search-seconds "
    "S] "
    "[--rounds N] [--final-seconds S] [--final-rounds N] [--finals N] "
    "[--opencl-device NAME] [--cores N] [--energy-source NAME] [--knowledge DIR] [--programs DIR]";
constexpr double kMostTraining = 60;
constexpr guint64 kFirst = 100, kLast = 1100;

struct Options {
  FedBin::Options bin;
  std::vector<const BenchChain*> chains;
  std::vector<std::string> sizes{"small", "1920x1080"};
  std::vector<std::string> parts{"cold", "chosen", "metrics", "knowledge"};
  double seconds = 20, search_s = 0.4, final_s = 0;
  int trainings = 5, rounds = 3;     // `rounds`: of steady runs in turn
  int finals = 3, final_rounds = 3;  // so many of the fastest run again, for longer
  // `programs`: the folder that keeps them; `second`: the best, for the process that
  // second_process() starts.
  std::string folder, programs, second;

  bool has(const char* part) const { return std::ranges::find(parts, part) != parts.end(); }
};

/// A folder that goes with it.
struct ScratchFolder {
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-learning-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no folder can be made in " + name);
    path = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// Another process, in frames 100 to 1100.
struct Second {
  char reason[32] = "?", configuration[64] = "?";
  int experiments = 0;
  double fps = 0, best_fps = 0;
};

struct Row {
  std::string name;
  double frames = 0, seconds = 0, first_s = 0;  // of the cold start
  Stats cold;
  std::vector<Told> trained;
  std::optional<Told> efficiency;
  std::vector<Rate> rates;
  std::optional<Second> second, derived;
  std::vector<Rate> between;  // of a size that nobody trained on, which `derived` ran first
};

Told trained(FedBin& bin, const std::vector<GstBuffer*>& frames) {
  if (!bin.run_until_decided(frames, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  for (const Told& told : bin.decisions())
    if (told.experiments > 0) return told;
  throw std::runtime_error("nothing was told of a training");
}

Second second_process(const Options& options, const BenchChain& chain, Size size,
                      const std::string& best) {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    throw std::runtime_error("/proc/self/exe cannot be read");
  const std::string command =
      std::string("'") + self + "' --application " + chain.name + " --sizes " + text_of(size) +
      " --opencl-device '" + options.bin.device + "' --cores " + std::to_string(options.bin.cores) +
      " --seconds " + std::to_string(options.seconds) + " --knowledge '" + options.folder +
      "' --second " + best;
  FILE* pipe = popen(command.c_str(), "r");
  Second second;
  const int read =
      pipe ? std::fscanf(pipe, "%31s %63s %d %lf %lf", second.reason, second.configuration,
                         &second.experiments, &second.fps, &second.best_fps)
           : 0;
  if (pipe) pclose(pipe);
  if (read != 5) throw std::runtime_error("this failed: " + command);
  return second;
}

void be_second_process(const Options& options) {
  const Frames frames(read_size(options.sizes[0]));
  FedBin::Options with = options.bin;
  with.knowledge = options.folder;
  FedBin bin(with, options.chains[0]->stages, "both");
  bin.begin(frames.size);
  const double fps = bin.rate_between(frames.buffers, kFirst, kLast, options.seconds);
  const std::vector<Told> told = bin.decisions();
  const Stats stats = bin.stats();
  FedBin forced(options.bin, options.chains[0]->stages, "off");
  forced.force(options.second);
  forced.begin(frames.size);
  const double best = forced.rate_between(frames.buffers, kFirst, kLast, options.seconds);
  std::printf("%s %s %d %f %f\n", told.empty() ? "none" : told[0].reason.c_str(),
              told.empty() ? stats.configuration.c_str() : told[0].after.c_str(),
              stats.training_experiments, fps, best);
}

// Of the fastest ones and what was chosen, for longer and in turn: what is measured for a moment
// differs by a fifth from one time to the next.
void measure_finals(const Options& options, const BenchChain& chain, const Frames& frames,
                    const std::vector<Told>& trained, std::vector<Rate>& rates) {
  std::vector<std::string> finals;
  for (const Told& told : trained) finals.push_back(told.after);
  for (const Rate& rate : rates | std::views::take(options.finals))
    finals.push_back(rate.configuration);
  std::vector<Rate> lasting = steady_rates(options.bin, chain.stages, frames, finals,
                                           options.final_s, options.final_rounds);
  std::erase_if(rates, [&](const Rate& rate) {
    return std::ranges::find(lasting, rate.configuration, &Rate::configuration) != lasting.end();
  });
  rates.insert(rates.begin(), lasting.begin(), lasting.end());
}

Row measure(const Options& options, const BenchChain& chain, Size size) {
  Row row{std::string(chain.name) + " " + text_of(size)};
  std::fprintf(stderr, "%s\n", row.name.c_str());
  const Frames frames(size);
  std::vector<std::string> list;
  {
    FedBin::Options keeps = options.bin;
    if (options.has("knowledge") || options.has("derived")) keeps.knowledge = options.folder;
    const ScratchFolder programs;
    if (options.has("cold") && options.programs.empty())
      setenv("TANDEM_CACHE_DIR", programs.path.c_str(), 1);
    FedBin bin(keeps, chain.stages, "both");
    const auto start = Clock::now();
    bin.begin(size);
    const OfferedFrames offered(bin, frames.buffers);
    if (options.has("cold"))
      while (seconds_since(start) < options.seconds) bin.feed(offered.buffers());
    row.seconds = seconds_since(start);
    row.frames = static_cast<double>(bin.delivered());
    row.first_s = bin.first_s();
    row.cold = bin.stats();
    row.trained.push_back(trained(bin, offered.buffers()));
    list = candidates(bin);
  }
  for (int i = 1; options.has("chosen") && i < options.trainings; ++i) {
    FedBin bin(options.bin, chain.stages, "caps");
    bin.begin(size);
    row.trained.push_back(trained(bin, OfferedFrames(bin, frames.buffers).buffers()));
    std::fprintf(stderr, "  training %d: %s\n", i + 1, row.trained.back().after.c_str());
  }
  if (options.has("metrics")) {
    FedBin::Options efficient = options.bin;
    efficient.metric = "efficiency";
    FedBin bin(efficient, chain.stages, "caps");
    bin.begin(size);
    row.efficiency = trained(bin, OfferedFrames(bin, frames.buffers).buffers());
  }
  for (const Told& told : row.trained) list.push_back(told.after);
  if (options.has("chosen")) list = with_all_lanes(list);
  row.rates =
      steady_rates(options.bin, chain.stages, frames, list, options.search_s, options.rounds);
  if (options.final_s > 0) measure_finals(options, chain, frames, row.trained, row.rates);
  for (const Rate& rate : row.rates)
    std::fprintf(stderr, "  %s %s %.1f\n", row.name.c_str(), rate.configuration.c_str(), rate.fps);
  if (options.has("knowledge"))
    row.second = second_process(options, chain, size, row.rates[0].configuration);
  if (options.has("derived")) {
    const Size between{size.width * 3 / 4 & ~1, size.height * 3 / 4 & ~1};
    row.derived = second_process(options, chain, between, row.rates[0].configuration);
    list.push_back(row.derived->configuration);
    row.between = steady_rates(options.bin, chain.stages, Frames(between), list, options.search_s,
                               options.rounds);
  }
  return row;
}

void print_cold(const std::vector<Row>& rows) {
  std::puts(
      "\n| cold start | of the best | training, s | lost, s | experiments + trials | chosen | best "
      "|\n| --- | ---: | ---: | ---: | ---: | --- | --- |");
  for (const Row& row : rows) {
    const Told& told = row.trained[0];
    std::printf("| %s, %.0f s | %.3f | %.2f | %.2f | %d + %d | %s | %s, %.1f |\n", row.name.c_str(),
                row.seconds, row.frames / (row.rates[0].fps * row.seconds), told.training_s,
                told.penalty_s, told.experiments, told.trials, told.after.c_str(),
                row.rates[0].configuration.c_str(), row.rates[0].fps);
  }
}

// Of the frames that the best delivers in that time, where those went that are missing.
void print_lost(const std::vector<Row>& rows) {
  std::puts(
      "\n| cold start | first frame after, s | trained until, s | lost before it, of all | lost by "
      "training | lost after it | frames/s after it, of the best | training |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  for (const Row& row : rows) {
    const Told& told = row.trained[0];
    const double best = row.rates[0].fps, all = best * row.seconds;
    const double after_s = row.seconds - told.at_s;
    const double after = row.frames - static_cast<double>(told.delivered);
    const double until = static_cast<double>(told.delivered);
    std::printf("| %s | %.2f | %.2f | %.3f | %.3f | %.3f | %.3f | %s |\n", row.name.c_str(),
                row.first_s, told.at_s, row.first_s / row.seconds,
                (best * (told.at_s - row.first_s) - until) / all, (best * after_s - after) / all,
                after / after_s / best, told.spent.c_str());
  }
}

void print_chosen(const std::vector<Row>& rows) {
  std::puts(
      "\n| trainings | chosen: of the best, said / measured, s | least | mean | best |\n"
      "| --- | --- | ---: | ---: | --- |");
  for (const Row& row : rows) {
    double sum = 0, least = 1;
    std::printf("| %s |", row.name.c_str());
    for (const Told& told : row.trained) {
      const double fps = rate_of(row.rates, told.after), share = fps / row.rates[0].fps;
      std::printf(" %s: %.2f, %.2f, %.2f;", told.after.c_str(), share, told.predicted_fps / fps,
                  told.training_s);
      sum += share;
      least = std::min(least, share);
    }
    std::printf(" | %.3f | %.3f | %s |\n", least, sum / static_cast<double>(row.trained.size()),
                row.rates[0].configuration.c_str());
  }
}

void print_metrics(const std::vector<Row>& rows) {
  if (std::ranges::any_of(rows, [](const Row& row) { return row.efficiency->energy_unknown; })) {
    std::puts("\nTraining by efficiency: left out, there is no energy source.");
    return;
  }
  std::puts(
      "\n| training, s | by throughput | by efficiency | ratio | chosen by efficiency |\n"
      "| --- | ---: | ---: | ---: | --- |");
  for (const Row& row : rows)
    std::printf("| %s | %.2f | %.2f | %.2f | %s |\n", row.name.c_str(), row.trained[0].training_s,
                row.efficiency->training_s, row.efficiency->training_s / row.trained[0].training_s,
                row.efficiency->after.c_str());
}

void print_second(const std::vector<Row>& rows) {
  std::puts(
      "\n| a second process | why | runs | experiments | frames 100 to 1100, of the best |\n"
      "| --- | --- | --- | ---: | ---: |");
  for (const Row& row : rows)
    std::printf("| %s | %s | %s | %d | %.3f |\n", row.name.c_str(), row.second->reason,
                row.second->configuration, row.second->experiments,
                row.second->fps / row.second->best_fps);
}

void print_derived(const std::vector<Row>& rows) {
  std::puts(
      "\n| of three quarters of the width and height | why | runs before any look | of the best | "
      "best |\n| --- | --- | --- | ---: | --- |");
  for (const Row& row : rows)
    std::printf("| %s | %s | %s | %.3f | %s |\n", row.name.c_str(), row.derived->reason,
                row.derived->configuration,
                rate_of(row.between, row.derived->configuration) / row.between[0].fps,
                row.between[0].configuration.c_str());
}

Options parse(int argc, char** argv) {
  Options options;
  std::string names = "vivid,tracking,srad,scene";
  if (argc % 2 == 0) throw std::runtime_error(std::string("usage: ") + kUsage);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--application") {
      names = value;
    } else if (name == "--sizes") {
      options.sizes = split_commas(value);
    } else if (name == "--parts") {
      options.parts = split_commas(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--search-seconds") {
      options.search_s = std::atof(value.c_str());
    } else if (name == "--final-seconds") {
      options.final_s = std::atof(value.c_str());
    } else if (name == "--final-rounds") {
      options.final_rounds = std::max(1, std::atoi(value.c_str()));
    } else if (name == "--finals") {
      options.finals = std::max(0, std::atoi(value.c_str()));
    } else if (name == "--rounds") {
      options.rounds = std::max(1, std::atoi(value.c_str()));
    } else if (name == "--trainings") {
      options.trainings = std::atoi(value.c_str());
    } else if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else if (name == "--energy-source") {
      options.bin.energy_source = value;
    } else if (name == "--knowledge") {
      options.folder = value;
    } else if (name == "--programs") {
      options.programs = value;
    } else if (name == "--second") {
      options.second = value;
    } else {
      throw std::runtime_error("there is no option " + name + "; usage: " + kUsage);
    }
  }
  for (const std::string& name : split_commas(names)) options.chains.push_back(&bench_chain(name));
  for (const std::string& part : options.parts)
    if (std::string(" cold chosen metrics knowledge derived derive ").find(" " + part + " ") ==
        std::string::npos)
      throw std::runtime_error("there is no part " + part + "; usage: " + kUsage);
  return options;
}

void run(Options options) {
  std::vector<Row> rows;
  if (options.parts != std::vector<std::string>{"derive"})
    for (const BenchChain* chain : options.chains)
      for (const std::string& size : options.sizes)
        rows.push_back(
            measure(options, *chain,
                    size == "small" ? Size{chain->width, chain->height} : read_size(size)));
  if (options.has("cold")) print_cold(rows);
  if (options.has("cold")) print_lost(rows);
  if (options.has("chosen")) print_chosen(rows);
  if (options.has("metrics")) print_metrics(rows);
  if (options.has("knowledge")) print_second(rows);
  if (options.has("derived")) print_derived(rows);
  if (options.has("derive"))
    for (const BenchChain* chain : options.chains)
      derive_sizes(options.bin, *chain, options.search_s, options.rounds);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    tandem::Options options = tandem::parse(argc, argv);
    const tandem::ScratchFolder drivers;
    if (!options.programs.empty()) setenv("TANDEM_CACHE_DIR", options.programs.c_str(), 1);
    const std::string compiled =
        options.programs.empty() ? drivers.path.string() : options.programs;
    setenv("CUDA_CACHE_PATH", compiled.c_str(), 1);
    setenv("POCL_CACHE_DIR", compiled.c_str(), 1);
    gst_init(nullptr, nullptr);
    std::optional<tandem::ScratchFolder> scratch;
    if (options.folder.empty()) options.folder = scratch.emplace().path.string();
    if (options.second.empty()) {
      if (!scratch && std::filesystem::exists(options.folder) &&
          !std::filesystem::is_empty(options.folder))
        throw std::runtime_error(options.folder + " knows something already: name an empty folder");
      tandem::run(options);
    } else {
      tandem::be_second_process(options);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "learning_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
