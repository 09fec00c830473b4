// SPDX-License-Identifier: LGPL-2.1-or-later
// Something else takes half of the cores from a steady bin for a while: when the bin answers, with
// what, when it goes back, how many trainings that took, and how long the stream does less than it
// does in the end: a bin that is right has nothing to decide.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "model/median.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr char kUsage[] =
    "fluctuation_bench [--application NAME] [--size WxH] [--seconds S] [--burners N] "
    "[--opencl-device NAME] [--cores N] [--max-overhead SHARE] [--mapping ssss] [--metric NAME]";
constexpr double kSlice = 0.5, kMostTraining = 60;
// What a stream does in the end is its typical rate of 0.1 s, in the second half. It has come to
// that when a second does this part of it.
constexpr double kRateSeconds = 0.1, kThere = 0.9;
constexpr std::size_t kSecond = 10;

struct Options {
  FedBin::Options bin;
  const BenchChain* chain = &kBenchChains[0];
  Size size{600, 416};
  std::string mapping = "auto";
  double seconds = 20;  // that the burners take
  int burners = 0;      // 0: half of the cores
};

/// A process that keeps so many cores busy until it is ended. It was forked before any thread was
/// started, and waits for the number: 0 ends it.
class Burner {
 public:
  Burner() {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe can be made");
    child_ = fork();
    if (child_ < 0) throw std::runtime_error("no process can be made");
    if (child_ == 0) burn();
    close(ends_[0]);
  }
  ~Burner() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    close(ends_[1]);
  }
  void start(int threads) {
    if (write(ends_[1], &threads, sizeof threads) != sizeof threads)
      throw std::runtime_error("the burner is gone");
  }
  void end() { kill(child_, SIGKILL); }

 private:
  [[noreturn]] void burn() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends_[1]);
    int threads = 0;
    if (read(ends_[0], &threads, sizeof threads) != sizeof threads) _exit(0);
    for (int i = 0; i < threads; ++i)
      std::thread([] {
        for (volatile unsigned count = 0;;) count = count + 1;
      }).detach();
    for (;;) pause();
  }

  int ends_[2];
  pid_t child_ = -1;
};

/// Slices of the stream, and what the bin told in them.
void watch(FedBin& bin, const Frames& frames, const char* when, double seconds, double& at_s) {
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    const std::size_t told = bin.decisions().size();
    const double fps = bin.run(frames.buffers, kSlice);
    at_s += kSlice;
    std::string decided;
    const std::vector<Told> all = bin.decisions();
    for (std::size_t i = told; i < all.size(); ++i)
      decided += (decided.empty() ? "" : "; ") + all[i].reason + ": " + all[i].before + " to " +
                 all[i].after;
    const Stats stats = bin.stats();
    std::printf("| %.1f | %s | %.1f | %s%s | %s |\n", at_s, when, fps, stats.configuration.c_str(),
                stats.training ? " (trains)" : "", decided.c_str());
    std::fflush(stdout);
  }
}

/// Seconds from `since` to the first decision before `until`, for `configuration` unless that is
/// empty; negative: there was none.
double answered_s(const std::vector<Told>& all, double since, double until,
                  const std::string& configuration) {
  for (const Told& told : all)
    if (told.at_s > since && told.at_s < until &&
        (configuration.empty() || told.after == configuration))
      return told.at_s - since;
  return -1;
}

/// Seconds until a stream does what it does in the end; negative: it has not lasted long enough.
double there_s(const std::vector<double>& departures_s, double since, double until) {
  std::vector<double> rates(static_cast<std::size_t>((until - since) / kRateSeconds));
  for (const double at_s : departures_s) {
    const auto window = static_cast<std::size_t>(std::max(0.0, at_s - since) / kRateSeconds);
    if (at_s >= since && window < rates.size()) rates[window] += 1 / kRateSeconds;
  }
  if (rates.size() < 2 * kSecond) return -1;
  const auto half = static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::vector<double> last(rates.begin() + half, rates.end());
  const double in_the_end = median(last);
  for (auto from = rates.begin(); from + kSecond <= rates.end(); ++from)
    if (std::accumulate(from, from + kSecond, 0.0) >= kThere * in_the_end * kSecond)
      return kRateSeconds * static_cast<double>(from - rates.begin());
  return -1;
}

/// Frames from `delivered` on to the first decision after `since` and before `until`.
std::string answered_frames(const std::vector<Told>& all, double since, double until,
                            guint64 delivered) {
  for (const Told& told : all)
    if (told.at_s > since && told.at_s < until)
      return std::to_string(told.delivered - delivered) + " frames, " + told.before + " to " +
             told.after;
  return "nothing was decided";
}

std::string text_of_s(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", seconds);
  return seconds < 0 ? "never" : text;
}

void run(const Options& options, Burner& burner) {
  const Frames frames(options.size);
  FedBin bin(options.bin, options.chain->stages, "both");
  bin.set("mapping", options.mapping.c_str());
  bin.begin(options.size);
  const OfferedFrames offered(bin, frames.buffers);
  if (!bin.run_until_decided(frames.buffers, kMostTraining))
    throw std::runtime_error("no training ended within a minute");
  const std::size_t decided = bin.decisions().size();
  const guint64 decided_at = bin.delivered();
  bin.run(frames.buffers, std::max(3.0, options.seconds / 4));  // the watch learns what is usual
  const Stats before = bin.stats();
  const int burners = options.burners > 0 ? options.burners : std::max(1, bin.cores() / 2);
  std::printf(
      "%s %s, %d of %d cores burnt for %g s\n\n| s | | frames/s | runs | decided |\n"
      "| ---: | --- | ---: | --- | --- |\n",
      options.chain->name, text_of(options.size).c_str(), burners, bin.cores(), options.seconds);
  double at_s = 0;
  watch(bin, frames, "alone", 2, at_s);
  std::printf("\nuntil then %zu decisions in %llu frames\n\n", bin.decisions().size() - decided,
              static_cast<unsigned long long>(bin.delivered() - decided_at));
  bin.keep_departures();
  const double burnt_s = bin.now_s();
  const guint64 burnt_from = bin.delivered();
  burner.start(burners);
  watch(bin, frames, "burnt", options.seconds, at_s);
  burner.end();
  const double ended_s = bin.now_s();
  const guint64 ended_from = bin.delivered();
  const Stats meanwhile = bin.stats();
  watch(bin, frames, "alone again", options.seconds, at_s);
  const double last_s = bin.now_s();
  const Stats after = bin.stats();
  const std::vector<double> departures_s = bin.departures_s();
  const std::vector<Told> all = bin.decisions();
  std::printf(
      "\n| | |\n| --- | --- |\n| first decision while burnt | %s |\n| and afterwards | %s |\n"
      "| answered after | %s |\n| first at the rate that it keeps after | %s; after the end %s |\n"
      "| went back to %s after the end | %s |\n"
      "| trainings while burnt, after | %d, %d |\n| training, s, while burnt, after | %.2f, %.2f "
      "|\n",
      answered_frames(all, burnt_s, ended_s, burnt_from).c_str(),
      answered_frames(all, ended_s, 1e9, ended_from).c_str(),
      text_of_s(answered_s(all, burnt_s, ended_s, "")).c_str(),
      text_of_s(there_s(departures_s, burnt_s, ended_s)).c_str(),
      text_of_s(there_s(departures_s, ended_s, last_s)).c_str(), before.configuration.c_str(),
      meanwhile.configuration == before.configuration && !meanwhile.training
          ? "it had not left it"
          : text_of_s(answered_s(all, ended_s, 1e9, before.configuration)).c_str(),
      meanwhile.trainings - before.trainings, after.trainings - meanwhile.trainings,
      meanwhile.training_s - before.training_s, after.training_s - meanwhile.training_s);
}

Options parse(int argc, char** argv) {
  Options options;
  if (argc % 2 == 0) throw std::runtime_error(std::string("usage: ") + kUsage);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--application") {
      options.chain = &bench_chain(value);
    } else if (name == "--size") {
      options.size = read_size(value);
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--burners") {
      options.burners = std::atoi(value.c_str());
    } else if (name == "--opencl-device") {
      options.bin.device = value;
    } else if (name == "--cores") {
      options.bin.cores = std::atoi(value.c_str());
    } else if (name == "--metric") {
      options.bin.metric = value;
    } else if (name == "--mapping") {
      options.mapping = value;
    } else if (name == "--max-overhead") {
      options.bin.max_overhead = std::atof(value.c_str());
    } else {
      throw std::runtime_error("there is no option " + name + "; usage: " + kUsage);
    }
  }
  return options;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    const tandem::Options options = tandem::parse(argc, argv);
    tandem::Burner burner;  // before GStreamer starts threads
    gst_init(nullptr, nullptr);
    tandem::run(options, burner);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "fluctuation_bench: %s\n", e.what());
    return 1;
  }
  return 0;
}
