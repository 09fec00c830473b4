// SPDX-License-Identifier: LGPL-2.1-or-later
// What adapting gains and costs: an application on a stream that goes from one size to another and
// back, with a bin that adapts, the same bin frozen in what it chose for the first size, and each
// part in its best configuration: named by --best, or found by --search. Then what watching costs a
// steady stream: the chosen configuration with adapt=both and adapt=off in turn.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/median.h"
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
constexpr double kSearchSeconds = 0.5;
constexpr int kSearchRounds = 3;

/// Of each part.
struct Row {
  std::vector<double> fps;
  std::vector<std::string> configurations;
  std::vector<double> page_locked;  // of the frames that came
  Stats last;                       // after the part before
  void begin(const FedBin& stream) { last = stream.stats(); }
  void add(const FedBin& stream, double rate) {
    const Stats now = stream.stats();
    fps.push_back(rate);
    configurations.push_back(now.configuration);
    page_locked.push_back(static_cast<double>(now.page_locked - last.page_locked) /
                          static_cast<double>(now.frames - last.frames));
    last = now;
  }
};

/// Frames of each size, made once.
class Clips {
 public:
  explicit Clips(const std::vector<Size>& sizes) {
    for (const Size& size : sizes)
      if (!clips_.contains(text_of(size))) clips_.try_emplace(text_of(size), size);
  }
  const Frames& of(Size size) const { return clips_.at(text_of(size)); }

 private:
  std::map<std::string, Frames> clips_;
};

/// Frames finished a second, of frames in the memory that the stream offers.
double run(FedBin& stream, const Frames& frames, double seconds) {
  const OfferedFrames offered(stream, frames.buffers);
  return stream.run(offered.buffers(), seconds);
}

void train(FedBin& stream, const Frames& frames) {
  stream.begin(frames.size);
  stream.run_until_decided(OfferedFrames(stream, frames.buffers).buffers());
}

Row adapt(const Options& options, const Clips& clips, std::vector<std::string>& trainings) {
  Row row;
  FedBin stream(options.bin, options.chain->stages, "both");
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    stream.begin(options.parts[i]);
    const Stats before = stream.stats();
    row.add(stream, run(stream, clips.of(options.parts[i]), options.seconds));
    const Stats after = stream.stats();
    char text[160];
    std::snprintf(text, sizeof text, "part %zu: %d training(s), %.3f s, %d frames, %.3f s lost",
                  i + 1, after.trainings - before.trainings, after.training_s - before.training_s,
                  after.training_frames - before.training_frames,
                  after.penalty_s - before.penalty_s);
    trainings.emplace_back(text);
  }
  return row;
}

Row freeze(const Options& options, const Clips& clips) {
  Row row;
  FedBin stream(options.bin, options.chain->stages, "both");
  train(stream, clips.of(options.parts[0]));
  stream.set("adapt", "off");
  row.begin(stream);
  for (const Size& part : options.parts) {
    stream.begin(part);
    row.add(stream, run(stream, clips.of(part), options.seconds));
  }
  return row;
}

/// The best of what a bin that trained on frames of this size names, and of all that ran here.
std::string search(const Options& options, const Frames& frames, const Row& adapted,
                   const Row& frozen) {
  std::vector<std::string> list;
  {
    FedBin stream(options.bin, options.chain->stages, "caps");
    train(stream, frames);
    list = candidates(stream);
  }
  for (const Row* row : {&adapted, &frozen})
    list.insert(list.end(), row->configurations.begin(), row->configurations.end());
  const std::vector<Rate> rates =
      steady_rates(options.bin, options.chain->stages, frames, list, kSearchSeconds, kSearchRounds);
  std::fprintf(stderr, "%s %s:", options.chain->name, text_of(frames.size).c_str());
  for (const Rate& rate : rates)
    std::fprintf(stderr, " %s %.1f", rate.configuration.c_str(), rate.fps);
  std::fputs("\n", stderr);
  return rates.front().configuration;
}

Row run_best(const Options& options, const Clips& clips, const std::vector<std::string>& best) {
  Row row;
  FedBin stream(options.bin, options.chain->stages, "off");
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    stream.force(best[i % best.size()]);
    stream.begin(options.parts[i]);
    row.add(stream, run(stream, clips.of(options.parts[i]), options.seconds));
  }
  return row;
}

void compare(const Options& options, const Clips& clips) {
  std::vector<std::string> trainings;
  const Row adapted = adapt(options, clips, trainings);
  const Row frozen = freeze(options, clips);
  std::vector<std::string> best = options.best;
  if (options.search) {
    std::map<std::string, std::string> found;
    for (const Size& part : options.parts) {
      std::string& of_size = found[text_of(part)];
      if (of_size.empty()) of_size = search(options, clips.of(part), adapted, frozen);
      best.push_back(of_size);
    }
  }
  const Row reached = best.empty() ? Row{} : run_best(options, clips, best);
  std::printf(
      "%s, %g s each\n\n| part | adapts, frames/s | its choice | frozen | best | which | adapts / "
      "best | adapts / frozen |\n"
      "| --- | ---: | --- | ---: | ---: | --- | ---: | ---: |\n",
      options.chain->name, options.seconds);
  for (std::size_t i = 0; i < options.parts.size(); ++i) {
    const double fps = adapted.fps[i];
    std::printf("| %s | %.1f | %s | %.1f (%s) |", text_of(options.parts[i]).c_str(), fps,
                adapted.configurations[i].c_str(), frozen.fps[i], frozen.configurations[i].c_str());
    if (best.empty()) {
      std::printf(" | | | %.2f |\n", fps / frozen.fps[i]);
    } else {
      std::printf(" %.1f | %s | %.2f | %.2f |\n", reached.fps[i], reached.configurations[i].c_str(),
                  fps / reached.fps[i], fps / frozen.fps[i]);
    }
  }
  for (const auto& [name, row] :
       {std::pair{"adapts", &adapted}, {"frozen", &frozen}, {"best", &reached}}) {
    std::printf("\nframes in page-locked memory, %s:", name);
    for (const double part : row->page_locked) std::printf(" %.2f", part);
  }
  std::puts("\n");
  for (const std::string& training : trainings) std::puts(training.c_str());
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
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    const tandem::Clips clips(options.parts);
    tandem::compare(options, clips);
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
