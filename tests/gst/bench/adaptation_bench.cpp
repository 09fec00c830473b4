// SPDX-License-Identifier: LGPL-2.1-or-later
// What adapting gains and costs: an application on a stream that goes from one size to another and
// back, with a bin that adapts, the same bin frozen in what it chose for the first size, and each
// part in its best configuration: named by --best, or found by --search. The three, each in a
// process of its own, take turns, 1 s of the bin that adapts and 0.25 s of each other one, because
// machines are faster at one time than at another. A training is not interrupted. Then what
// watching costs a steady stream: the chosen configuration with adapt=both and adapt=off in turn.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/median.h"
#include "tests/gst/bench/support/aside.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr char kUsage[] =
    "adaptation_bench [--application vivid|tracking|srad|scenes] [--sizes WxH,WxH...] "
    "[--opencl-device NAME] [--cores N] [--seconds S] [--max-overhead SHARE] "
    "[--search | --best CONFIGURATION,...] [--pairs N]";

struct Options {
  FedBin::Options bin;
  const BenchChain* chain = &kBenchChains[0];
  std::vector<Size> parts{{600, 416}, {1920, 1080}, {600, 416}};
  std::vector<std::string> best;  // of each part, the first ones again for more parts
  bool search = false;
  double seconds = 10;
  int pairs = 31;  // of steady runs with and without watching
};

// What a steady run lasts at least: filling the bin anew is a small part of it.
constexpr double kLeastTurn = 0.5;
constexpr double kTurn = 1, kTurnOfOthers = 0.25, kAfterTraining = 0.1;  // s
constexpr double kSearchSeconds = 0.5;
constexpr int kSearchRounds = 3;

/// Frames of each size, made when they are first asked for.
class Clips {
 public:
  const Frames& of(Size size) { return clips_.try_emplace(text_of(size), size).first->second; }

 private:
  std::map<std::string, Frames> clips_;
};

void train(FedBin& stream, const Frames& frames) {
  stream.begin(frames.size);
  stream.run_until_decided(OfferedFrames(stream, frames.buffers).buffers());
}

/// A stream, and what it did in each part.
class Stream {
 public:
  Stream(const Options& options, Clips& clips, const char* adapt)
      : options_(options), clips_(clips), adapt_(adapt) {}

  // "freeze", "force ggg/cg1", "begin 0", the index of a part, "turn 0.5", which returns the
  // seconds of the part so far, and "end", which returns what a Row reads.
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string verb, configuration;
    std::size_t part = 0;
    double seconds = 0;
    words >> verb;
    if (!bin_) {
      gst_init(nullptr, nullptr);
      bin_.emplace(options_.bin, options_.chain->stages, adapt_);
    }
    if (verb == "freeze") {
      train(*bin_, clips_.of(options_.parts[0]));
      bin_->set("adapt", "off");
    } else if (verb == "force" && words >> configuration) {
      bin_->force(configuration);
    } else if (verb == "begin" && words >> part) {
      begin(clips_.of(options_.parts[part]));
    } else if (verb == "turn" && words >> seconds) {
      turn(seconds);
      return std::to_string(seconds_);
    } else if (verb == "end") {
      return end();
    }
    return "done";
  }

 private:
  void begin(const Frames& frames) {
    offered_.reset();
    bin_->begin(frames.size);
    offered_.emplace(*bin_, frames.buffers);
    seconds_ = 0;
    before_ = bin_->stats();
  }
  // Feeds for so long, and until no training runs.
  void turn(double seconds) {
    const auto start = Clock::now();
    do {
      while (seconds_since(start) < seconds) bin_->feed(offered_->buffers());
      seconds += kAfterTraining;
    } while (bin_->stats().training);
    seconds_ += seconds_since(start);
  }
  std::string end() const {
    const Stats after = bin_->stats();
    const auto frames = static_cast<double>(after.frames - before_.frames);
    char text[200];
    std::snprintf(text, sizeof text, "%f %s %f %d training(s), %.3f s, %d frames, %.3f s lost",
                  frames / seconds_, after.configuration.c_str(),
                  static_cast<double>(after.page_locked - before_.page_locked) / frames,
                  after.trainings - before_.trainings, after.training_s - before_.training_s,
                  after.training_frames - before_.training_frames,
                  after.penalty_s - before_.penalty_s);
    return text;
  }

  const Options& options_;
  Clips& clips_;
  const char* const adapt_;
  std::optional<FedBin> bin_;
  std::optional<OfferedFrames> offered_;
  double seconds_ = 0;
  Stats before_;
};

/// What a stream did in each part, as its process tells it.
struct Row {
  std::vector<double> fps, page_locked;  // `page_locked`: of the frames that came
  std::vector<std::string> configurations, trainings;

  void add(const std::string& end) {
    std::istringstream words(end);
    std::string configuration, training;
    double rate = 0, locked = 0;
    words >> rate >> configuration >> locked >> std::ws;
    std::getline(words, training);
    fps.push_back(rate);
    configurations.push_back(configuration);
    page_locked.push_back(locked);
    trainings.push_back(training);
  }
};

/// The best of what a bin that trained on frames of this size names.
std::string search(const Options& options, const Frames& frames) {
  std::vector<std::string> list;
  {
    FedBin stream(options.bin, options.chain->stages, "caps");
    train(stream, frames);
    list = with_all_lanes(candidates(stream));
  }
  const std::vector<SteadyRate> rates =
      steady_rates(options.bin, options.chain->stages, frames, list, kSearchSeconds, kSearchRounds);
  std::fprintf(stderr, "%s %s:", options.chain->name, text_of(frames.size).c_str());
  for (const Rate& rate : rates)
    std::fprintf(stderr, " %s %.1f", rate.configuration.c_str(), rate.fps);
  std::fputs("\n", stderr);
  return rates.front().configuration;
}

std::vector<std::string> best_of_parts(const Options& options, Clips& clips) {
  if (!options.search) return options.best;
  std::map<std::string, std::string> found;
  std::vector<std::string> best;
  for (const Size& part : options.parts) {
    std::string& of_size = found[text_of(part)];
    if (of_size.empty()) of_size = search(options, clips.of(part));
    best.push_back(of_size);
  }
  return best;
}

/// The processes of the three streams.
struct Asides {
  Aside adapts, frozen, reached;
};

void compare(const Options& options, Clips& clips, Asides& asides) {
  const std::vector<std::string> best = best_of_parts(options, clips);
  Row adapts, frozen, reached;
  struct Turns {
    const char* name;
    Aside* aside;
    Row* row;
  };
  std::vector<Turns> streams{{"frozen", &asides.frozen, &frozen},
                             {"adapts", &asides.adapts, &adapts}};
  if (!best.empty()) streams.insert(streams.begin(), {"best", &asides.reached, &reached});
  asides.frozen.ask("freeze");
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    if (!best.empty()) asides.reached.ask("force " + best[i % best.size()]);
    for (const Turns& stream : streams) stream.aside->ask("begin " + std::to_string(i));
    for (double seconds = 0; seconds < options.seconds;)
      for (const Turns& stream : streams)
        seconds = std::stod(stream.aside->ask(
            "turn " + std::to_string(stream.row == &adapts ? kTurn : kTurnOfOthers)));
    for (const Turns& stream : streams) stream.row->add(stream.aside->ask("end"));
  }
  std::printf(
      "%s, %g s each\n\n| part | adapts, frames/s | its choice | frozen | best | which | adapts / "
      "best | adapts / frozen |\n"
      "| --- | ---: | --- | ---: | ---: | --- | ---: | ---: |\n",
      options.chain->name, options.seconds);
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    const double fps = adapts.fps[i];
    std::printf("| %s | %.1f | %s | %.1f (%s) |", text_of(options.parts[i]).c_str(), fps,
                adapts.configurations[i].c_str(), frozen.fps[i], frozen.configurations[i].c_str());
    if (best.empty()) {
      std::printf(" | | | %.2f |\n", fps / frozen.fps[i]);
    } else {
      std::printf(" %.1f | %s | %.2f | %.2f |\n", reached.fps[i], reached.configurations[i].c_str(),
                  fps / reached.fps[i], fps / frozen.fps[i]);
    }
  }
  for (const Turns& stream : streams) {
    std::printf("\nframes in page-locked memory, %s:", stream.name);
    for (const double part : stream.row->page_locked) std::printf(" %.2f", part);
  }
  std::puts("\n");
  for (std::size_t i = 0; i < options.parts.size(); ++i)
    std::printf("part %zu: %s\n", i + 1, adapts.trainings[i].c_str());
  std::fflush(stdout);
}

void steady(const Options& options, const Frames& frames) {
  FedBin stream(options.bin, options.chain->stages, "both");
  train(stream, frames);
  const OfferedFrames offered(stream, frames.buffers);
  std::vector<double> ratios;
  double fps = 0;
  for (int round = 0; round < options.pairs; ++round) {
    // In turn, and the order changes: a machine whose speed drifts hits both.
    double rate[2];
    for (int turn = 0; turn < 2; ++turn) {
      const bool watching = (turn == 0) == (round % 2 == 0);
      stream.set("adapt", watching ? "drift" : "off");
      rate[watching] =
          stream.run(offered.buffers(), std::max(kLeastTurn, options.seconds / options.pairs));
    }
    ratios.push_back(rate[1] / rate[0]);
    fps = rate[1];
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  std::printf(
      "steady %s %s: watching runs at %.4f of adapt=off (median of %zu, %.4f to %.4f), "
      "%.1f frames/s\n",
      text_of(frames.size).c_str(), stream.stats().configuration.c_str(), median(ratios),
      ratios.size(), least, most, fps);
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--search") {
      options.search = true;
      continue;
    }
    if (i + 1 == argc)
      throw std::runtime_error(name + " needs a value, or is no option: " + kUsage);
    const std::string value = argv[++i];
    if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--application") {
      options.chain = &bench_chain(value);
    } else if (name == "--sizes") {
      options.parts.clear();
      for (const std::string& size : split_commas(value)) options.parts.push_back(read_size(size));
    } else if (name == "--best") {
      options.best = split_commas(value);
    } else if (name == "--pairs") {
      options.pairs = std::atoi(value.c_str());
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--max-overhead") {
      options.bin.max_overhead = std::atof(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name + ": " + kUsage);
    }
  }
  if (options.parts.empty()) throw std::runtime_error("--sizes names no size");
  if (options.search && !options.best.empty())
    throw std::runtime_error("--search finds what --best names: leave one out");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    tandem::Clips clips;
    tandem::Stream adapts(options, clips, "both"), frozen(options, clips, "both"),
        reached(options, clips, "off");
    const auto aside = [](tandem::Stream& stream) {
      return [&stream](const std::string& line) { return stream.answer(line); };
    };
    tandem::Asides asides{tandem::Aside(aside(adapts)), tandem::Aside(aside(frozen)),
                          tandem::Aside(aside(reached))};
    gst_init(nullptr, nullptr);
    tandem::compare(options, clips, asides);
    std::set<std::string> sizes;
    for (const tandem::Size& part : options.parts)
      if (options.pairs > 0 && sizes.insert(tandem::text_of(part)).second)
        tandem::steady(options, clips.of(part));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "adaptation_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
