// SPDX-License-Identifier: LGPL-2.1-or-later
// What learning costs and what it is good for, of each application and size: a cold start, the
// choices of several trainings, training by efficiency, and a second process with the knowledge of
// the first. All rates of one application and size that are compared are measured in turn.
//
// A cold start knows nothing and finds no compiled program: Tandem's cache folder is a new one for
// each row, and the caches of NVIDIA's driver and of PoCL are new ones for the process.
// `--programs` names a folder for all three that is kept, so that a second run finds what the first
// compiled. The OpenCL device is opened in the time of a cold start.
//
// The tables compare the rate that a training said with two others. "What followed" is that of the
// stream that learnt, in the two seconds after its training, or one second of further trainings.
// "Measured" is that of another stream, which runs the candidates by turns: those of `--finals` and
// what was chosen for `--final-rounds` of `--final-seconds`, after each has run until its rate was
// steady. In a virtual machine one configuration runs at rates up to 1.5 times apart from one
// second or process to the next, so many short rounds tell more than few long ones.
// `--there-rounds` has them run in the streams that trained as well, for `--final-seconds` each.
// For the same reason a cold start goes on, once it has trained, by turns with a stream of another
// process that is told its choice: the best in its own time did that stream's rate by what the
// choice does of the best.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>

#include "model/median.h"
#include "tests/gst/bench/support/aside.h"
#include "tests/gst/bench/support/derived_sizes.h"
#include "tests/gst/bench/support/learning_tables.h"
#include "tests/gst/bench/support/told_stream.h"
#include "tests/gst/support/bench_search.h"
#include "tests/support/slowness.h"

namespace tandem {
namespace {

constexpr char kUsage[] =
    "learning_bench [--application NAME,...] [--sizes WxH|small,...] [--parts "
    "cold,chosen,metrics,knowledge,derived,derive] [--seconds S] [--trainings N] [--search-seconds "
    "S] "
    "[--rounds N] [--final-seconds S] [--final-rounds N] [--finals N] [--there-rounds N] "
    "[--opencl-device NAME] [--cores N] [--energy-source NAME] [--knowledge DIR] [--programs DIR]";
constexpr double kMostTraining = 60;
constexpr guint64 kFirst = 100, kLast = 1100;
// Rounds of a second process: so many, and more while they last no longer than that.
constexpr int kLeastRounds = 5, kMostRounds = 15;
constexpr double kRounds_s = 20;
constexpr double kFollows_s = 2, kNextFollow_s = 1;
constexpr double kTurn_s = 1, kToldTurn_s = 0.25;  // of a cold start, of the stream beside it
// The least that a turn of that stream lasts: so many latencies of its frames.
constexpr double kLatencies = 5;

struct Options {
  FedBin::Options bin;
  std::vector<const BenchChain*> chains;
  std::vector<std::string> sizes{"small", "1920x1080"};
  std::vector<std::string> parts{"cold", "chosen", "metrics", "knowledge"};
  double seconds = 20, search_s = 0.4, final_s = 0;
  int trainings = 5, rounds = 3;     // `rounds`: of steady runs in turn
  int finals = 3, final_rounds = 3;  // so many of the fastest run again, for longer
  int there_rounds = 0;              // of turns in the streams that trained
  // `programs`: the folder that keeps them; `second`: what another_process() is to run.
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

std::optional<Told> training_of(const FedBin& bin) {
  for (const Told& told : bin.decisions())
    if (told.experiments > 0) return told;
  return std::nullopt;
}

Told trained(FedBin& bin, const std::vector<GstBuffer*>& frames) {
  if (!bin.run_until_decided(frames, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  if (const auto told = training_of(bin)) return *told;
  throw std::runtime_error("nothing was told of a training");
}

// And the stream goes on for so long.
Trained trained_and_followed(FedBin& bin, const OfferedFrames& offered, double follows_s) {
  Trained outcome{trained(bin, offered.buffers())};
  bin.run(offered.buffers(), std::max(0.0, outcome.at_s + follows_s - bin.now_s()));
  outcome.followed_fps =
      static_cast<double>(bin.delivered() - outcome.delivered) / (bin.now_s() - outcome.at_s);
  return outcome;
}

// The rest of a cold start of so many seconds, fed by turns with a stream that is told to run what
// it chose.
void go_on(FedBin& bin, const OfferedFrames& offered, double seconds, Aside& told,
           const BenchChain& chain, Size size, Row& row) {
  told.ask(std::string("begin ") + chain.name + " " + text_of(size) + " " + row.trained[0].after);
  const double told_s = std::max(kToldTurn_s, kLatencies * bin.stats().latency_p95_ms / 1e3);
  std::vector<double> ratios, rates;
  do {
    rates.push_back(std::stod(told.ask("run " + std::to_string(told_s))));
    const guint64 before = bin.delivered();
    const auto start = Clock::now();
    while (seconds_since(start) < told_s * kTurn_s / kToldTurn_s) bin.feed(offered.buffers());
    const double turn_s = seconds_since(start);
    row.seconds += turn_s;
    ratios.push_back(static_cast<double>(bin.delivered() - before) / turn_s / rates.back());
  } while (row.seconds < seconds);
  told.ask("end");
  row.by_turns = median(ratios);
  row.told_fps = std::accumulate(rates.begin(), rates.end(), 0.0) / std::ssize(rates);
}

// What the training chose and the three others that the bin expects most of, by turns in the stream
// that trained: one configuration differs from stream to stream.
void measure_there(FedBin& bin, const OfferedFrames& offered, const Turns& turns, Trained& told) {
  constexpr std::size_t kMost = 4;
  bin.set("adapt", "off");
  std::vector<std::string> list = candidates(bin);
  std::erase(list, told.after);
  list.insert(list.begin(), told.after);
  list.resize(std::min(list.size(), kMost));
  told.own_rates = rates_in(bin, offered, list, turns, kMostSettling_s);
}

// A process that runs `configuration`, or what the bin chooses by what is known ("auto").
Second another_process(const Options& options, const BenchChain& chain, Size size,
                       const std::string& configuration) {
  char self[4096] = "";
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    throw std::runtime_error("/proc/self/exe cannot be read");
  const std::string command =
      std::string("'") + self + "' --application " + chain.name + " --sizes " + text_of(size) +
      " --opencl-device '" + options.bin.device + "' --cores " + std::to_string(options.bin.cores) +
      " --seconds " + std::to_string(options.seconds) + " --knowledge '" + options.folder +
      (options.programs.empty() ? "" : "' --programs '" + options.programs) + "' --second " +
      configuration;
  FILE* pipe = popen(command.c_str(), "r");
  Second second;
  const int read =
      pipe ? std::fscanf(pipe, "%31s %63s %63s %d %lf", second.reason, second.configuration,
                         second.last, &second.experiments, &second.fps)
           : 0;
  if (pipe) pclose(pipe);
  if (read != 5) throw std::runtime_error("this failed: " + command);
  return second;
}

// A bin that knows and one that is told the best run in processes of their own, by turns: both make
// memory in their first frames, and a thousand frames may last a tenth of a second.
Second second_process(const Options& options, const BenchChain& chain, Size size,
                      const std::string& best) {
  Second second;
  std::vector<double> fps, of_best;
  const auto start = Clock::now();
  for (int round = 0;
       round < kLeastRounds || (round < kMostRounds && seconds_since(start) < kRounds_s); ++round) {
    const Second knows = another_process(options, chain, size, "auto");
    if (round == 0) second = knows;
    second.experiments = std::max(second.experiments, knows.experiments);
    fps.push_back(knows.fps);
    of_best.push_back(another_process(options, chain, size, best).fps);
    std::fprintf(stderr, "  a process that knows %.1f, one that is told %.1f\n", fps.back(),
                 of_best.back());
  }
  second.fps = median(fps);
  second.best_fps = median(of_best);
  return second;
}

void be_second_process(const Options& options) {
  const Frames frames(read_size(options.sizes[0]));
  const bool knows = options.second == "auto";
  FedBin::Options with = options.bin;
  if (knows) with.knowledge = options.folder;
  FedBin bin(with, options.chains[0]->stages, knows ? "both" : "off");
  if (!knows) bin.force(options.second);
  bin.begin(frames.size);
  const double fps = bin.rate_between(OfferedFrames(bin, frames.buffers).buffers(), kFirst, kLast,
                                      options.seconds);
  const std::vector<Told> told = bin.decisions();
  const Stats stats = bin.stats();
  std::printf("%s %s %s %d %f\n", told.empty() ? "none" : told[0].reason.c_str(),
              told.empty() ? stats.configuration.c_str() : told[0].after.c_str(),
              stats.configuration.c_str(), stats.training_experiments, fps);
}

// Of the fastest ones and what was chosen, for longer and in turn: what is measured for a moment
// differs by a fifth from one time to the next.
void measure_finals(const Options& options, const BenchChain& chain, const Frames& frames,
                    const std::vector<Trained>& trained, std::vector<SteadyRate>& rates) {
  std::vector<std::string> finals;
  finals.reserve(trained.size() + rates.size());
  for (const Trained& told : trained) finals.push_back(told.after);
  for (int i = 0; i < options.finals && i < std::ssize(rates); ++i)
    finals.push_back(rates[i].configuration);
  std::vector<SteadyRate> lasting =
      steady_rates(options.bin, chain.stages, frames, finals, options.final_s, options.final_rounds,
                   kMostSettling_s);
  std::erase_if(rates, [&](const SteadyRate& rate) {
    return std::ranges::find(lasting, rate.configuration, &SteadyRate::configuration) !=
           lasting.end();
  });
  rates.insert(rates.begin(), lasting.begin(), lasting.end());
}

Row measure(const Options& options, const BenchChain& chain, Size size, Aside& beside) {
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
    bin.keep_departures();
    bin.begin(size);
    const OfferedFrames offered(bin, frames.buffers);
    row.trained.push_back(trained_and_followed(bin, offered, kFollows_s));
    row.seconds = seconds_since(start);
    if (options.has("cold")) go_on(bin, offered, options.seconds, beside, chain, size, row);
    row.frames = static_cast<double>(bin.delivered());
    row.first_s = bin.first_s();
    row.cold = bin.stats();
    const SlowStretch slow =
        slow_stretch(bin.departures_s(), row.trained[0].at_s, row.cold.latency_p95_ms / 1e3);
    std::fprintf(stderr, "  slower than half for %.2f s, since %.2f s\n", slow.lasted_s,
                 slow.since_s);
    row.slow_s = slow.lasted_s;
    list = candidates(bin);
    if (options.there_rounds > 0)
      measure_there(bin, offered, {options.final_s, options.there_rounds}, row.trained[0]);
  }
  for (int i = 1; options.has("chosen") && i < options.trainings; ++i) {
    FedBin bin(options.bin, chain.stages, "caps");
    bin.begin(size);
    const OfferedFrames offered(bin, frames.buffers);
    row.trained.push_back(trained_and_followed(bin, offered, kNextFollow_s));
    if (options.there_rounds > 0)
      measure_there(bin, offered, {options.final_s, options.there_rounds}, row.trained.back());
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
  for (const SteadyRate& rate : row.rates) {
    std::fprintf(stderr, "  %s %s %.1f:", row.name.c_str(), rate.configuration.c_str(), rate.fps);
    for (const double fps : rate.turns_fps) std::fprintf(stderr, " %.1f", fps);
    std::fputs("\n", stderr);
  }
  if (options.has("knowledge"))
    row.second = second_process(options, chain, size, row.rates[0].configuration);
  if (options.has("derived")) {
    const Size between{size.width * 3 / 4 & ~1, size.height * 3 / 4 & ~1};
    row.derived = second_process(options, chain, between, row.rates[0].configuration);
    list.push_back(row.derived->configuration);
    list.push_back(row.derived->last);
    row.between = steady_rates(options.bin, chain.stages, Frames(between), list, options.search_s,
                               options.rounds);
  }
  return row;
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
    } else if (name == "--there-rounds") {
      options.there_rounds = std::max(0, std::atoi(value.c_str()));
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
  if (options.there_rounds > 0 && !(options.final_s > 0))
    throw std::runtime_error("--there-rounds needs --final-seconds");
  for (const std::string& name : split_commas(names)) options.chains.push_back(&bench_chain(name));
  for (const std::string& part : options.parts)
    if (std::string(" cold chosen metrics knowledge derived derive ").find(" " + part + " ") ==
        std::string::npos)
      throw std::runtime_error("there is no part " + part + "; usage: " + kUsage);
  return options;
}

void run(const Options& options, Aside& told) {
  std::vector<Row> rows;
  if (options.parts != std::vector<std::string>{"derive"})
    for (const BenchChain* chain : options.chains)
      for (const std::string& size : options.sizes)
        rows.push_back(
            measure(options, *chain,
                    size == "small" ? Size{chain->width, chain->height} : read_size(size), told));
  if (options.has("cold")) print_cold(rows);
  if (options.has("cold")) print_lost(rows);
  if (options.has("chosen")) print_chosen(rows);
  if (options.there_rounds > 0) print_chosen_there(rows);
  if (options.has("metrics")) print_metrics(rows);
  if (options.has("knowledge")) print_second(rows);
  if (options.has("derived")) print_derived(rows);
  if (options.has("derive"))
    for (const BenchChain* chain : options.chains)
      derive_sizes(options.bin, *chain, options.folder, {options.search_s, options.rounds},
                   options.final_s > 0 ? Turns{options.final_s, options.final_rounds}
                                       : Turns{options.search_s, options.rounds});
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
    tandem::ToldStream stream(options.bin);
    tandem::Aside told([&](const std::string& line) { return stream.answer(line); });
    gst_init(nullptr, nullptr);
    std::optional<tandem::ScratchFolder> scratch;
    if (options.folder.empty()) options.folder = scratch.emplace().path.string();
    if (options.second.empty()) {
      if (!scratch && std::filesystem::exists(options.folder) &&
          !std::filesystem::is_empty(options.folder))
        throw std::runtime_error(options.folder + " knows something already: name an empty folder");
      tandem::run(options, told);
    } else {
      tandem::be_second_process(options);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "learning_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
