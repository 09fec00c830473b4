// SPDX-License-Identifier: LGPL-2.1-or-later
// Trainings that are kept, run again with the trials that this build would make.
//   replay_bench FOLDER... [--seeds 10] [--paths 1]
// A folder of knowledge, or one of such folders, as `learning_bench --knowledge` leaves it.
// Experiments are those of the training. A configuration that ran does what it did on average. One
// that did not errs by as much as the nearest number of threads of its mapping and lanes did, or as
// all trials say. Trials have noise of 4%, looks of 2.4%.
// A file sweep.json beside a training, which `tandem bench --json` writes, has the rates of all
// configurations. They are then what configurations do, scaled to the speed of the training: the
// median of what configurations did there, divided by their rates.
// The table has what was chosen as a part of the fastest that ran or is in the sweep, and what
// trials and looks took. "not made": replays that asked for an experiment that the training did not
// make, or that did not end. Folders stay as they are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/median.h"
#include "model/objective.h"
#include "scheduler/learn/belief/next_experiment.h"
#include "scheduler/learn/keep/knowledge.h"
#include "scheduler/learn/keep/knowledge_file.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {
namespace {

constexpr double kNoise = 0.04, kNoiseOfALook = 0.6 * kNoise;
constexpr double kSwitch_s = 0.01;
constexpr double kWeightOfAnExperiment = 0.1;  // a device wakes up in it
constexpr int kNear = 3;                       // threads
constexpr int kMostSteps = 80;
constexpr const char* kSweep = "sweep.json";

struct Options {
  std::vector<std::string> folders;
  int seeds = 10;
  bool paths = false;
};

// Frames/s by name.
using Sweep = std::map<std::string, double>;

// None beside most trainings.
Sweep sweep_in(const std::filesystem::path& folder) {
  Sweep sweep;
  if (!std::filesystem::exists(folder / kSweep)) return sweep;
  const auto bench = nlohmann::json::parse(std::ifstream(folder / kSweep));
  for (const auto& configuration : bench.at("configurations"))
    sweep[configuration.at("name")] = configuration.at("throughput_fps");
  if (sweep.empty()) throw std::runtime_error(std::string(kSweep) + ": it has no configurations");
  return sweep;
}

// What configurations did in a training, or in the sweep beside it.
class Rates {
 public:
  Rates(const Known& known, const Sweep& sweep) : learnt_(learnt_of(known)) {
    for (const Observation& seen : known.facts.observations) {
      if (!(seen.frame_s > 0) || seen.kind == Observation::Kind::stages ||
          seen.kind == Observation::Kind::beside)
        continue;
      const double weight = is_trial(seen.kind) ? 1 : kWeightOfAnExperiment;
      Ran& ran = ran_[to_string(seen.configuration)];
      ran.frames += weight * seen.lasted_s / seen.frame_s;
      ran.seconds += weight * seen.lasted_s;
      ran.last = seen;
    }
    std::vector<double> speeds;
    for (const auto& [name, fps] : sweep)
      if (const auto ran = ran_.find(name); ran != ran_.end())
        speeds.push_back(ran->second.fps() / fps);
    if (sweep.empty()) return;
    if (speeds.empty())
      throw std::runtime_error(std::string(kSweep) + ": no configuration of the training is in it");
    const double speed = median(speeds);
    for (const auto& [name, fps] : sweep) sweep_[name] = speed * fps;
  }

  double fps_of(const Configuration& configuration) const {
    if (const auto found = sweep_.find(to_string(configuration)); found != sweep_.end())
      return found->second;
    if (const Ran* ran = find(configuration)) return ran->fps();
    const Findings& found = learnt_.findings;
    const Prediction expected = predict(found.measurements, configuration);
    if (const Trial* near = nearest(configuration))
      return expected.throughput_fps * near->measured.throughput_fps /
             near->predicted.throughput_fps;
    return corrected(found.trials, configuration, expected).throughput_fps;
  }

  double fastest_fps() const {
    double fastest = 0;
    for (const auto& [name, fps] : sweep_) fastest = std::max(fastest, fps);
    for (const auto& [name, ran] : ran_)
      if (sweep_.empty()) fastest = std::max(fastest, ran.fps());
    return fastest;
  }

  Observation like(const Configuration& configuration) const {
    const Ran* ran = find(configuration);
    return ran ? ran->last : Observation{};
  }

 private:
  struct Ran {
    double frames = 0, seconds = 0;
    Observation last;
    double fps() const { return frames / seconds; }
  };

  const Trial* nearest(Configuration configuration) const {
    const int threads = configuration.threads;
    const Trial* nearest = nullptr;
    int least = kNear + 1;
    for (const Trial& trial : learnt_.findings.trials) {
      configuration.threads = trial.configuration.threads;
      const int apart = std::abs(trial.configuration.threads - threads);
      if (trial.configuration != configuration || apart >= least || !find(configuration)) continue;
      nearest = &trial;
      least = apart;
    }
    return nearest;
  }

  const Ran* find(const Configuration& configuration) const {
    const auto found = ran_.find(to_string(configuration));
    return found == ran_.end() ? nullptr : &found->second;
  }

  const Learnt learnt_;
  std::map<std::string, Ran> ran_;
  Sweep sweep_;  // at the speed of the training
};

struct Replayed {
  Configuration chosen;
  double seconds = 0;  ///< of trials and looks
  int trials = 0;      ///< looks included
  std::string path;    ///< each of them, a look with *, and what it did of the fastest
};

class Replay {
 public:
  Replay(const Known& known, const Rates& rates, unsigned seed)
      : known_(known), rates_(rates), random_(seed), used_(known.facts.observations.size()) {
    facts_.chain = known.facts.chain;
  }

  std::optional<Replayed> run() {
    for (int step = 0; step < kMostSteps; ++step) {
      const Findings findings = interpret(facts_.observations, facts_.chain);
      const Next next = next_experiment(facts_, findings, known_.objective, known_.allowed);
      if (!next.plan) {
        if (next.choice.count == 0) return std::nullopt;
        replayed_.chosen = next.choice.best().configuration;
        return replayed_;
      }
      if (!(is_trial(next.plan->kind) ? attempt(*next.plan) : repeat(*next.plan)))
        return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool repeat(const Plan& plan) {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const Observation& seen = known_.facts.observations[i];
      if (used_[i] || seen.kind != plan.kind || seen.configuration != plan.configuration) continue;
      used_[i] = true;
      facts_.observations.push_back(seen);
      return true;
    }
    return false;
  }

  bool attempt(const Plan& plan) {
    const bool look = plan.kind == Observation::Kind::look;
    const double fps = rates_.fps_of(plan.configuration) *
                       std::exp(normal_(random_) * (look ? kNoiseOfALook : kNoise));
    if (!(fps > 0)) return false;
    Observation seen = rates_.like(plan.configuration);
    seen.configuration = plan.configuration;
    seen.kind = plan.kind;
    seen.in_vain = false;
    seen.starved_frames = 0;
    seen.relative_error = kLeastNoise;
    seen.frame_s = 1 / fps;
    seen.lasted_s = lasts_s(plan, fps);
    seen.frames = std::max(2, static_cast<int>(seen.lasted_s * fps));
    facts_.observations.push_back(seen);
    replayed_.seconds += seen.lasted_s + kSwitch_s;
    ++replayed_.trials;
    char text[64];
    std::snprintf(text, sizeof text, " %s%s %.2f", look ? "*" : "",
                  to_string(plan.configuration).c_str(), fps / rates_.fastest_fps());
    replayed_.path += text;
    return true;
  }

  // As Experiment does it.
  static double lasts_s(const Plan& plan, double fps) {
    if (plan.rest) return 0.07;
    if (fps < plan.slow_fps) return 0.05;
    const bool look = plan.kind == Observation::Kind::look;
    return std::clamp((look ? 60 : 50) / fps, look ? 0.25 : 0.1, 0.5);
  }

  const Known& known_;
  const Rates& rates_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::vector<bool> used_;  // experiments
  Facts facts_;
  Replayed replayed_;
};

struct Sum {
  double ratio = 0, least = 1, seconds = 0, trials = 0;
  int replays = 0, not_made = 0;

  void add(double of_fastest, const Replayed& replayed) {
    ratio += of_fastest;
    least = std::min(least, of_fastest);
    seconds += replayed.seconds;
    trials += replayed.trials;
    ++replays;
  }
  void add(const Sum& other) {
    ratio += other.ratio;
    least = std::min(least, other.least);
    seconds += other.seconds;
    trials += other.trials;
    replays += other.replays;
    not_made += other.not_made;
  }
  void print(const std::string& name) const {
    std::printf("| %s | %.3f | %.3f | %.1f | %.2f | %d |\n", name.c_str(), ratio / replays, least,
                trials / replays, seconds / replays, not_made);
  }
};

Sum replay(const Known& known, const Sweep& sweep, const Options& options) {
  const Rates rates(known, sweep);
  Sum sum;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const auto replayed = Replay(known, rates, static_cast<unsigned>(seed)).run();
    if (!replayed) {
      ++sum.not_made;
      continue;
    }
    const double of_fastest = std::min(1.0, rates.fps_of(replayed->chosen) / rates.fastest_fps());
    sum.add(of_fastest, *replayed);
    if (options.paths)
      std::printf("%.3f %s:%s\n", of_fastest, to_string(replayed->chosen).c_str(),
                  replayed->path.c_str());
  }
  return sum;
}

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == kKnowledgeEnding && entry.path().filename() != kSweep)
      all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

int usage() {
  std::fprintf(stderr, "usage: replay_bench FOLDER... [--seeds N] [--paths 1]\n");
  return 2;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--", 2) != 0) {
      options.folders.push_back(argv[i]);
      continue;
    }
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value < 1) return usage();
    if (std::strcmp(argv[i], "--seeds") == 0)
      options.seeds = value;
    else if (std::strcmp(argv[i], "--paths") == 0)
      options.paths = true;
    else
      return usage();
    ++i;
  }
  if (options.folders.empty()) return usage();
  std::printf("| | of the fastest | least | trials | s | not made |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: |\n");
  Sum all;
  for (const std::string& folder : options.folders) {
    if (!std::filesystem::is_directory(folder)) {
      std::fprintf(stderr, "replay_bench: %s is no folder\n", folder.c_str());
      return 1;
    }
    for (const auto& path : files_in(folder)) {
      const OwnFolder own(path.parent_path(), OwnFolder::Missing::kStays);
      if (!own) std::fprintf(stderr, "replay_bench: %s\n", own.problem().c_str());
      const KnowledgeFile file = read_knowledge_file(own, path.filename());
      if (!file.problem.empty())
        std::fprintf(stderr, "replay_bench: %s: %s\n", path.c_str(), file.problem.c_str());
      const Sweep sweep = sweep_in(path.parent_path());
      for (const Known& known : file.known) {
        const Sum sum = replay(known, sweep, options);
        if (sum.replays > 0) sum.print(path.parent_path().string());
        all.add(sum);
      }
    }
  }
  if (all.replays == 0) {
    std::fprintf(stderr, "replay_bench: nothing that is known could be replayed\n");
    return 1;
  }
  all.print("all");
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "replay_bench: %s\n", e.what());
    return 1;
  }
}
