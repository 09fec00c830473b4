// SPDX-License-Identifier: LGPL-2.1-or-later
// What the policy of this build chooses on random chips, and how it differs from another build's.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "pipelines/progress.h"
#include "scheduler/learn/belief/priors.h"
#include "tests/virtual_chip/bench/decide.h"
#include "tests/virtual_chip/bench/report.h"

namespace tandem::test {
namespace {

constexpr const char* kHelp =
    R"(policy_bench [OPTION...]: lets the policy of this build decide on random chips in virtual time.

  --families A,B   or all; default plain. The table below has them.
  --seeds SET      tuning (default) or test. Constants may be tuned on the first, never on the second.
  --chips N        of each family; default 200
  --skip N         leaves out the first N seeds of the set; default 0
  --metric NAME    throughput (default), efficiency, latency
  --csv FILE       writes a line for each chip, in order of families and seeds
  --against FILE   a CSV of an earlier build: prints paired differences, and takes the best
                   configuration of each chip from FILE, which saves the search
  --prior NAME=X   another value of a prior of the belief; may be given several times. `--prior help`
                   lists them with unit and reason
  --jobs N         chips at a time; default: one for each core
  --show SEED      prints each experiment and trial on the chip of this seed, and no table

For each chip:
  regret       1 - value of the choice / best value, both without bursts and drift. The best comes
               from a search of all configurations; with more than nine numbers of threads, of ten
               of them and then of those near the best five. A choice that is better than what the
               search found counts as the best.
  training, s  from the first frame to the decision
  slow, s      of that, while less than half of the best rate left in the last 0.1 s, or in the
               last time of a frame on busy cores where that is longer
  first 20 s   frames of the first 20 s, as a part of those that the best delivers. After the
               decision the steady rate of the choice counts.
  experiments, trials

A table of calibration has the trials of configurations that had not run before. An honest belief
has a mean square of 1, 68% of the trials within 1 deviation and 95% within 2, and expects the loss
that is the regret.

A chip without a decision after 300 s or a million frames counts with what runs then.

The table of means has the least value of a chip, by its best, and how many chips are below 0.95
and 0.99. With --against, "differs" has an entry if the 95% interval (Student's t, paired by chip)
leaves out 0, which one of twenty intervals does by chance. Regrets have heavy tails: compare 1000
chips or more.

Families:
)";

struct Options {
  std::vector<const Family*> families{find_family("plain")};
  bool test_seeds = false;
  unsigned chips = 200, skip = 0, jobs = std::max(1U, std::thread::hardware_concurrency());
  Metric metric = Metric::throughput;
  std::string csv, against;
  std::optional<unsigned> show;
};

void print_help() {
  std::fputs(kHelp, stdout);
  for (const Family& family : families())
    std::printf("  %-16s %s\n  %-16s seen on: %s\n", family.name, family.describes, "",
                family.seen_on);
}

std::string read_number(std::string_view name, std::string_view text, unsigned& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stopped == end) return {};
  return std::string(name) + " needs a number, and '" + std::string(text) + "' is none";
}

std::string read_families(std::string_view text, std::vector<const Family*>& chosen) {
  chosen.clear();
  if (text == "all") {
    for (const Family& family : families()) chosen.push_back(&family);
    return {};
  }
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view name = text.substr(at, end - at);
    chosen.push_back(find_family(name));
    if (!chosen.back())
      return "there is no family '" + std::string(name) + "': policy_bench --help lists them";
    at = end + 1;
  }
  return {};
}

struct Prior {
  const char* name;
  double Priors::*value;
  const char* unit;
  const char* reason;
};
constexpr Prior kPriors[] = {
#define TANDEM_PRIOR(name, value, unit, reason) {#name, &Priors::name, unit, reason},
    TANDEM_PRIORS(TANDEM_PRIOR)
#undef TANDEM_PRIOR
};

void print_priors() {
  std::printf("| prior | value | unit | what it is about |\n| --- | ---: | --- | --- |\n");
  for (const Prior& prior : kPriors)
    std::printf("| `%s` | %g | %s | %s |\n", prior.name, priors().*prior.value, prior.unit,
                prior.reason);
}

std::string read_prior(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto prior = std::ranges::find(kPriors, text.substr(0, equals), &Prior::name);
  if (prior == std::end(kPriors) || equals == std::string_view::npos)
    return "--prior needs NAME=VALUE, as `--prior help` lists them, not '" + std::string(text) +
           "'";
  const std::string_view value = text.substr(equals + 1);
  const char* const end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, priors().*prior->value);
  if (error == std::errc() && stopped == end) return {};
  return "--prior " + std::string(prior->name) + " needs a number, and '" + std::string(value) +
         "' is none";
}

std::string read_option(std::string_view name, std::string_view value, Options& options) {
  if (name == "--families") return read_families(value, options.families);
  if (name == "--chips") return read_number(name, value, options.chips);
  if (name == "--skip") return read_number(name, value, options.skip);
  if (name == "--jobs") return read_number(name, value, options.jobs);
  if (name == "--show") return read_number(name, value, options.show.emplace());
  if (name == "--csv") return options.csv = value, std::string();
  if (name == "--against") return options.against = value, std::string();
  if (name == "--seeds") {
    options.test_seeds = value == "test";
    if (value == "test" || value == "tuning") return {};
    return "--seeds is tuning or test, not '" + std::string(value) + "'";
  }
  if (name == "--prior") return read_prior(value);
  if (name == "--metric") {
    const std::optional<Metric> metric = find_metric(value);
    if (!metric) return "--metric is throughput, efficiency or latency";
    options.metric = *metric;
    return {};
  }
  return "there is no option " + std::string(name) + ": see policy_bench --help";
}

// Returns what is wrong, or the empty string.
std::string read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return std::string(argv[i]) + " needs a value: see policy_bench --help";
    if (std::string error = read_option(argv[i], argv[i + 1], options); !error.empty())
      return error;
  }
  if (!options.csv.empty() && options.csv == options.against)
    return "--csv would overwrite the file of --against: give it another name";
  if (options.chips == 0 || options.jobs == 0) return "--chips and --jobs need at least 1";
  const unsigned most = kFirstTestSeed - kFirstTuningSeed;
  if (options.chips > most || options.skip > most - options.chips)
    return "a set of seeds has a million: take fewer with --chips and --skip";
  return {};
}

std::vector<Outcome> run(const Options& options, const std::vector<Outcome>& before) {
  const unsigned first = (options.test_seeds ? kFirstTestSeed : kFirstTuningSeed) + options.skip;
  std::vector<Outcome> outcomes(options.families.size() * options.chips);
  Progress progress("chips", outcomes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the failure
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < outcomes.size(); i = next++) {
      try {
        const Family& family = *options.families[i / options.chips];
        const auto seed = first + static_cast<unsigned>(i % options.chips);
        Outcome& outcome = outcomes[i];
        outcome.family = family.name;
        outcome.seed = seed;
        outcome.metric = to_string(options.metric);
        outcome = decide(family, seed, options.metric, find_pair(before, outcome));
        progress.advance(family.name);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = outcomes.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned job = 0; job < options.jobs; ++job) threads.emplace_back(work);
  }
  if (failure) std::rethrow_exception(failure);
  return outcomes;
}

void show(const Options& options) {
  for (const Family* family : options.families) {
    const Outcome outcome = decide(*family, *options.show, options.metric, nullptr, true);
    std::printf("%s\n%s\n", csv_header().c_str(), to_csv(outcome).c_str());
  }
}

// Returns what is wrong, or the empty string.
std::string bench(const Options& options) {
  if (options.show) return show(options), std::string();
  std::vector<Outcome> before;
  if (!options.against.empty())
    if (std::string error = read_csv(options.against, before); !error.empty()) return error;
  std::ofstream csv;
  if (!options.csv.empty()) {
    csv.open(options.csv);
    if (!csv) return "cannot write " + options.csv;
  }
  const std::vector<Outcome> outcomes = run(options, before);
  if (csv.is_open()) {
    csv << csv_header() << '\n';
    for (const Outcome& outcome : outcomes) csv << to_csv(outcome) << '\n';
    csv.close();
    if (!csv) return "cannot write " + options.csv;
  }
  print_means(outcomes);
  if (options.metric == Metric::throughput) print_calibration(outcomes);
  if (!options.against.empty()) print_differences(before, outcomes);
  return {};
}

int main_of(int argc, char** argv) {
  Options options;
  if (argc == 2 && std::string_view(argv[1]) == "--help") return print_help(), 0;
  if (argc == 3 && std::string_view(argv[1]) == "--prior" && std::string_view(argv[2]) == "help")
    return print_priors(), 0;
  std::string error = read_options(argc, argv, options);
  try {
    if (error.empty()) error = bench(options);
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  if (!error.empty()) std::fprintf(stderr, "policy_bench: %s\n", error.c_str());
  return error.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) { return tandem::test::main_of(argc, argv); }
