// SPDX-License-Identifier: LGPL-2.1-or-later
// What offering a second kind of device costs or gains a bin that decides by itself. Trainings with
// the first device alone and with both tell what is chosen. Then short pieces follow each other in
// the order A O B B O A, each in a bin of its own with a forced configuration:
//   A  the first device alone, what was chosen with it
//   O  both devices, the same configuration: O / A is the cost of offering
//   B  both devices, what was chosen with both: B / O is the gain of the choice, B / A the row "GPU
//      and PoCL offered against GPU alone"
// Ratios are of neighbours, so that a machine whose speed changes within seconds hits both. B is
// left out where the choices are the same.
//   letters_bench --devices A,B [--work vivid:600x416,vivid:1920x1080,srad:458x502] [--trainings 2]
//                 [--first-seconds 3] [--rounds 4] [--warm-seconds 0.2] [--seconds 0.5] [--cores N]
//                 [--memory ordinary|offered] [--trace 0|1]
// `--memory`: of the frames of pieces, ordinary or that which the bin offers upstream.
// `--trace 1`: a line for each piece: when it began on the wall clock, frames/s, and how long the
// stages of a frame take on devices.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "model/median.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr double kMostTraining = 60;

struct Options {
  std::string devices;
  std::vector<std::string> work{"vivid:600x416", "vivid:1920x1080", "srad:458x502"};
  int trainings = 2, rounds = 4, cores = 0;
  double first_s = 3, warm_s = 0.2, seconds = 0.5;
  bool trace = false, offered = false;
};

struct Work {
  const BenchChain& chain;
  const Frames& frames;
};

/// The first device alone, or both.
struct Offer {
  std::string name, devices;
  std::vector<std::string> chosen;  // by each training
  std::vector<double> first;        // of each: frames/s of the first seconds
};

void train(const Options& options, const Work& work, Offer& offer) {
  FedBin bin({.device = offer.devices, .cores = options.cores}, work.chain.stages, "caps");
  const auto start = Clock::now();
  bin.begin(work.frames.size);
  while (seconds_since(start) < options.first_s) bin.feed(work.frames.buffers);
  offer.first.push_back(static_cast<double>(bin.delivered()) / seconds_since(start));
  if (!bin.run_until_decided(work.frames.buffers, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  const Stats stats = bin.stats();
  offer.chosen.push_back(stats.configuration);
  std::printf("%-7s  %14.1f  %10.2f  %11d  %s\n", offer.name.c_str(), offer.first.back(),
              stats.training_s, stats.training_experiments, stats.configuration.c_str());
}

// --- Pieces --------------------------------------------------------------------------------------

/// Frames/s of a bin of its own.
double piece(const Options& options, const Work& work, char name, const std::string& devices,
             const std::string& configuration) {
  FedBin bin({.device = devices, .cores = options.cores}, work.chain.stages, "off");
  bin.force(configuration);
  bin.begin(work.frames.size);
  if (options.offered) bin.use_offered_pool();
  const std::vector<GstBuffer*>& fed = work.frames.buffers;
  bin.run(fed, options.warm_s);
  const double wall_s = static_cast<double>(g_get_real_time()) / 1e6;
  const double device_us = bin.device_us();
  const guint64 before = bin.stats().frames;
  const double fps = bin.run(fed, options.seconds);
  if (options.trace)
    std::printf("%c %.3f %-14s %9.1f frames/s %8.1f us on devices\n", name, wall_s,
                configuration.c_str(), fps,
                (bin.device_us() - device_us) / static_cast<double>(bin.stats().frames - before));
  return fps;
}

/// Of two kinds of pieces that follow each other.
class Ratios {
 public:
  explicit Ratios(std::string name) : name_(std::move(name)) {}
  void add(double ratio) { all_.push_back(ratio); }
  void print() {
    if (all_.empty()) {
      std::printf("%s: the same choices\n", name_.c_str());
      return;
    }
    const double middle = median(all_);
    std::ranges::sort(all_);
    const auto at = [this](double share) {
      return all_[static_cast<std::size_t>(share * static_cast<double>(all_.size() - 1) + 0.5)];
    };
    std::printf("%s: %.3f (quartiles %.3f-%.3f, all %.3f-%.3f, %zu pairs)\n", name_.c_str(), middle,
                at(0.25), at(0.75), all_.front(), all_.back(), all_.size());
  }

 private:
  std::string name_;
  std::vector<double> all_;
};

void compare(const Options& options, const std::string& named) {
  const std::size_t colon = named.find(':');
  if (colon == named.npos) throw std::runtime_error("--work takes APPLICATION:WIDTHxHEIGHT,...");
  const Frames frames(read_size(named.substr(colon + 1)));
  const Work work{bench_chain(named.substr(0, colon)), frames};
  Offer alone{"alone", options.devices.substr(0, options.devices.find(',')), {}, {}};
  Offer both{"both", options.devices, {}, {}};
  std::printf("\n%s, devices %s\n", named.c_str(), options.devices.c_str());
  std::printf("offered  frames/s %3.0f s  training s  experiments  chosen\n", options.first_s);
  for (int i = 0; i < options.trainings; ++i)
    for (Offer* offer : {&alone, &both}) train(options, work, *offer);

  Ratios offering("offering, O / A"), choice("choice, B / O"), whole("whole, B / A");
  std::vector<double> fps[3];
  for (int round = 0; round < options.rounds; ++round) {
    const auto training = static_cast<std::size_t>(round) % alone.chosen.size();
    const std::string &first = alone.chosen[training], &second = both.chosen[training];
    const auto run = [&](char name) {
      const double rate = piece(options, work, name, name == 'A' ? alone.devices : both.devices,
                                name == 'B' ? second : first);
      fps[name == 'A' ? 0 : name == 'O' ? 1 : 2].push_back(rate);
      return rate;
    };
    const bool same = first == second;
    const double a = run('A'), o = run('O'), b = same ? o : run('B');
    const double b2 = same ? 0 : run('B'), o2 = run('O'), a2 = run('A');
    offering.add(o / a);
    offering.add(o2 / a2);
    if (!same) {
      choice.add(b / o);
      choice.add(b2 / o2);
    }
    whole.add(b / a);
    whole.add((same ? o2 : b2) / a2);
  }
  for (const auto& [name, values] :
       {std::pair("A", &fps[0]), std::pair("O", &fps[1]), std::pair("B", &fps[2])}) {
    if (values->empty()) continue;
    const auto [least, most] = std::ranges::minmax(*values);
    std::printf("%s: %.1f frames/s (%.1f-%.1f)\n", name, median(*values), least, most);
  }
  for (Ratios* ratios : {&offering, &choice, &whole}) ratios->print();
  std::printf("first %.0f s, both / alone: %.3f\n", options.first_s,
              median(both.first) / median(alone.first));
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (!value) throw std::runtime_error(name + " takes a value");
    if (name == "--devices")
      options.devices = value;
    else if (name == "--work")
      options.work = split_commas(value);
    else if (name == "--trainings")
      options.trainings = std::max(1, std::atoi(value));
    else if (name == "--rounds")
      options.rounds = std::max(1, std::atoi(value));
    else if (name == "--cores")
      options.cores = std::atoi(value);
    else if (name == "--seconds")
      options.seconds = std::atof(value);
    else if (name == "--warm-seconds")
      options.warm_s = std::atof(value);
    else if (name == "--first-seconds")
      options.first_s = std::atof(value);
    else if (name == "--memory")
      options.offered = std::string(value) == "offered";
    else if (name == "--trace")
      options.trace = std::atoi(value) != 0;
    else
      throw std::runtime_error("there is no option " + name);
  }
  if (options.devices.find(',') == std::string::npos)
    throw std::runtime_error("--devices takes two: A,B");
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    for (const std::string& work : options.work) tandem::compare(options, work);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "letters_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
