// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/bench_search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>
#include <sstream>

#include "tests/gst/support/turns.h"

namespace tandem {
namespace {

constexpr std::size_t kFastest = 5, kMost = 10;
constexpr double kSettleSeconds = 0.15;  // programs are built, queues fill
constexpr double kSteady = 0.02;         // how far rates of a steady stream are apart
// Slow ones tell little in a short time: they leave in bursts, of as many as there are threads.
constexpr guint64 kLeastFrames = 8;
constexpr int kLeastBursts = 4;
constexpr double kBurst_s = 0.1;  // shorter ones are a first search, which may err
constexpr double kLongestSeconds = 3;

std::string mapping_of(const std::string& configuration) {
  return configuration.substr(0, configuration.find('/'));
}

// Feeds for so long, until so many more have left, but no longer than kLongestSeconds.
void feed_until(FedBin& stream, const OfferedFrames& offered, double seconds, guint64 more) {
  const guint64 before = stream.delivered();
  const auto start = Clock::now();
  do {
    stream.feed(offered.buffers());
  } while (seconds_since(start) < seconds ||
           (stream.delivered() < before + more && seconds_since(start) < kLongestSeconds));
}

// The rate of the configuration that was forced a moment ago. Except in a first search the turn
// begins when a round of the frames before it is out, and one of its own.
double rate_in_a_turn(FedBin& stream, const OfferedFrames& offered, double seconds) {
  const auto burst = static_cast<guint64>(stream.cores() + 1);
  const bool tells = seconds >= kBurst_s;
  if (tells) feed_until(stream, offered, 0, 2 * burst);
  const guint64 before = stream.delivered();
  const auto start = Clock::now();
  stream.keep_departures();
  feed_until(stream, offered, seconds, tells ? kLeastBursts * burst : kLeastFrames);
  const double lasted_s = seconds_since(start);
  const double fps = tells ? rate_of_bursts(stream.departures_s(), burst) : 0;
  return fps > 0 ? fps : static_cast<double>(stream.delivered() - before) / lasted_s;
}

}  // namespace

const BenchChain& bench_chain(const std::string& name) {
  std::string names;
  for (const BenchChain& chain : kBenchChains) {
    if (name == chain.name || name == std::string(chain.name) + "s") return chain;
    names += std::string(" ") + chain.name;
  }
  throw std::runtime_error("there is no application '" + name + "'; there are" + names);
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

Size read_size(const std::string& text) {
  Size size{};
  char more = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &more) != 2 ||
      size.width < 1 || size.height < 1)
    throw std::runtime_error("a size is WIDTHxHEIGHT, not " + text);
  return size;
}

std::string text_of(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::vector<std::string> candidates(const FedBin& trained) {
  const std::vector<Rate> expected = trained.predictions();
  std::vector<std::string> list;
  std::set<std::string> taken, mappings;
  const auto take = [&](const std::string& configuration) {
    if (taken.insert(configuration).second) list.push_back(configuration);
    mappings.insert(mapping_of(configuration));
  };
  take(trained.stats().configuration);
  for (std::size_t i = 0; i < std::min(kFastest, expected.size()); ++i)
    take(expected[i].configuration);
  bool medium = false, cpu_alone = false;
  for (const Rate& rate : expected) {  // the first is the best of its kind
    const std::string mapping = mapping_of(rate.configuration);
    const bool is_medium = rate.configuration.ends_with("/mg");
    const bool on_cpu = mapping.find('g') == std::string::npos;
    const bool adds = (is_medium && !medium) || (on_cpu && !cpu_alone);
    medium |= is_medium;
    cpu_alone |= on_cpu;
    if (adds || (list.size() < kMost && !mappings.contains(mapping))) take(rate.configuration);
  }
  return list;
}

std::vector<std::string> with_all_lanes(const std::vector<std::string>& configurations) {
  std::vector<std::string> list;
  std::set<std::string> taken;
  const auto take = [&](const std::string& configuration) {
    if (taken.insert(configuration).second) list.push_back(configuration);
  };
  for (const std::string& configuration : configurations) {
    take(configuration);
    const bool device = mapping_of(configuration).find('g') != std::string::npos;
    const bool bands = configuration.find("/t") != std::string::npos;
    if (!device || bands) continue;
    const std::string one = configuration.substr(0, configuration.find("/q"));
    for (const char* lanes : {"", "/q2", "/q4", "/q8"}) take(one + lanes);
  }
  return list;
}

void settle(FedBin& stream, const std::vector<GstBuffer*>& frames, double most_s) {
  double before = 0;
  const auto start = Clock::now();
  do {
    const double fps = stream.run(frames, kSettleSeconds);
    if (std::abs(fps - before) <= kSteady * before) return;
    before = fps;
  } while (seconds_since(start) < most_s);
}

std::vector<SteadyRate> steady_rates(const FedBin::Options& options, const std::string& stages,
                                     const Frames& frames, std::vector<std::string> configurations,
                                     double seconds, int rounds, double settle_s) {
  // Those with the device first: memory is offered for its sake.
  std::ranges::sort(configurations, std::greater{});
  FedBin::Options forced = options;
  forced.knowledge = "off";
  FedBin stream(forced, stages, "off");
  stream.force(configurations.at(0));
  stream.begin(frames.size);
  const OfferedFrames offered(stream, frames.buffers);
  return rates_in(stream, offered, configurations, {seconds, rounds}, settle_s);
}

std::vector<SteadyRate> rates_in(FedBin& stream, const OfferedFrames& offered,
                                 std::vector<std::string> configurations, const Turns& turns,
                                 double settle_s) {
  std::ranges::sort(configurations, std::greater{});
  configurations.erase(std::ranges::unique(configurations).begin(), configurations.end());
  ByTurns measured(configurations.size());
  for (int round = 0; round < turns.rounds; ++round) {
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      stream.force(configurations[i]);
      settle(stream, offered.buffers(), round == 0 ? settle_s : 0);
      measured[i].push_back(rate_in_a_turn(stream, offered, turns.seconds));
    }
  }
  const std::vector<double> typical = typical_rates(measured);
  std::vector<SteadyRate> rates;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    SteadyRate& rate = rates.emplace_back();
    rate.configuration = configurations[i];
    rate.fps = typical[i];
    rate.of_best = of_best(measured, i);
    rate.turns_fps = measured[i];
  }
  std::ranges::sort(rates, std::greater{}, &SteadyRate::fps);
  return rates;
}

const SteadyRate& rate_of(const std::vector<SteadyRate>& rates, const std::string& configuration) {
  for (const SteadyRate& rate : rates)
    if (rate.configuration == configuration) return rate;
  throw std::runtime_error(configuration + " was not measured");
}

}  // namespace tandem
