// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/support/derived_sizes.h"

#include <algorithm>
#include <cstdio>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/keep/derived.h"
#include "scheduler/learn/keep/knowledge_folder.h"

namespace tandem {
namespace {

constexpr Size kSizes[] = {{320, 240}, {600, 416}, {960, 540}, {1280, 720}, {1920, 1080}};
constexpr double kMostLearning = 60;
constexpr int kFinals = 3;

Known train(const FedBin::Options& options, const BenchChain& chain, Size size,
            const std::string& knowledge, std::vector<std::string>& list) {
  const std::string folder = knowledge + "/" + chain.name + "-" + text_of(size);
  {
    FedBin::Options keeps = options;
    keeps.knowledge = folder;
    const Frames frames(size);
    FedBin bin(keeps, chain.stages, "caps");
    bin.begin(size);
    if (!bin.run_until_decided(OfferedFrames(bin, frames.buffers).buffers(), kMostLearning))
      throw std::runtime_error("no training ended within a minute");
    list = candidates(bin);
  }
  std::vector<Known> known = KnowledgeFolder(folder).list();
  if (known.size() != 1) throw std::runtime_error("the training left no knowledge");
  if (known[0].chosen) list.push_back(to_string(known[0].chosen->configuration));
  return known[0];
}

}  // namespace

void derive_sizes(const FedBin::Options& options, const BenchChain& chain,
                  const std::string& knowledge, const Turns& search, const Turns& finals) {
  std::vector<Known> all;
  std::vector<std::vector<std::string>> lists(std::size(kSizes));
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    std::fprintf(stderr, "%s %s\n", chain.name, text_of(kSizes[i]).c_str());
    all.push_back(train(options, chain, kSizes[i], knowledge, lists[i]));
  }
  std::printf(
      "\n| %s, derived from the other four | runs | of the fastest, of the best by other turns | "
      "expected "
      "/ measured | best |\n"
      "| --- | --- | ---: | ---: | --- |\n",
      chain.name);
  Shares shares;
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    Knowledge others;
    for (const Known& known : all)
      if (&known != &all[i]) others[known.conditions] = learnt_of(known);
    const auto derived = derive(all[i].conditions, others, all[i].facts.chain);
    if (!derived) throw std::runtime_error("nothing could be derived");
    const Candidate best = choose_derived(*derived, all[i].objective, all[i].allowed).best();
    const std::string runs = to_string(best.configuration);
    const Frames frames(kSizes[i]);
    std::vector<std::string> last{runs, lists[i].back()};
    const std::vector<SteadyRate> found =
        steady_rates(options, chain.stages, frames, lists[i], search.seconds, search.rounds);
    for (int first = 0; first < kFinals && first < std::ssize(found); ++first)
      last.push_back(found[first].configuration);
    const std::vector<SteadyRate> rates =
        steady_rates(options, chain.stages, frames, last, finals.seconds, finals.rounds);
    const SteadyRate& rate = rate_of(rates, runs);
    const auto [by_turns, error] = rate.of_best;
    const double share = rate.fps / rates[0].fps;
    std::printf("| %s | %s | %.3f, %.3f ± %.3f | %.2f | %s |\n", text_of(kSizes[i]).c_str(),
                runs.c_str(), share, by_turns, error, best.prediction.throughput_fps / rate.fps,
                rates[0].configuration.c_str());
    std::fflush(stdout);
    shares.add(share);
  }
  std::printf("| mean, least | | %.3f, %.3f | | |\n", shares.mean(), shares.least);
  std::fflush(stdout);
}

}  // namespace tandem
