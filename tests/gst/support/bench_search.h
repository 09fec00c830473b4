// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/tandem/bench/chains.h"
#include "tests/gst/support/fed_bin.h"
#include "tests/gst/support/turns.h"

namespace tandem {

/// Of `name`; "scenes" is "scene". Throws std::runtime_error that lists them.
const BenchChain& bench_chain(const std::string& name);

/// The words between commas.
std::vector<std::string> split_commas(const std::string& text);
/// "600x416". Throws std::runtime_error.
Size read_size(const std::string& text);
std::string text_of(Size size);

/// Grey frames of one size.
class Frames {
 public:
  explicit Frames(Size size_) : size(size_), buffers(make_frames(size_)) {}
  ~Frames() {
    for (GstBuffer* frame : buffers) gst_buffer_unref(frame);
  }
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const Size size;
  const std::vector<GstBuffer*> buffers;
};

/// Frames for a bin that is fed in the memory that it offers: the bin asks anew when its device is
/// open. A GPU copies from ordinary memory at rates that differ by half from run to run.
class OfferedFrames {
 public:
  OfferedFrames(FedBin& bin, const std::vector<GstBuffer*>& frames) : bin_(bin), frames_(frames) {
    bin_.reconfigured = [this] { bin_.use_offered_pool(); };
    bin_.use_offered_pool();
  }
  ~OfferedFrames() { bin_.reconfigured = nullptr; }
  OfferedFrames(const OfferedFrames&) = delete;
  OfferedFrames& operator=(const OfferedFrames&) = delete;

  /// What feed() fills the pool's buffers with.
  const std::vector<GstBuffer*>& buffers() const { return frames_; }

 private:
  FedBin& bin_;
  const std::vector<GstBuffer*>& frames_;
};

/// A short list of configurations that may be the best, for a search: what the model of a bin that
/// has trained expects most of, the best of each mapping among the first, and all on the CPU,
/// medium and coarse.
std::vector<std::string> candidates(const FedBin& trained);

/// Each, and it with one, two, four and eight lanes where that is all it has behind its threads.
std::vector<std::string> with_all_lanes(const std::vector<std::string>& configurations);

inline constexpr double kMostSettling_s = 2;
/// Feeds until its rate is that of a moment ago, for `most_s` at most: memory is made, and the
/// device's clocks rise.
void settle(FedBin& stream, const std::vector<GstBuffer*>& frames, double most_s);

/// What a configuration does when it runs steadily.
struct SteadyRate : Rate {
  OfBest of_best;  ///< of all that were measured with it
  std::vector<double> turns_fps;
};

/// What each does when it runs steadily, the fastest first: in turn, `rounds` times for `seconds`
/// each, typical_rates(). A machine whose speed drifts hits all of them. Each runs for a moment
/// before it counts, and in the first round until its rate is steady, for `settle_s` at most.
std::vector<SteadyRate> steady_rates(const FedBin::Options& options, const std::string& stages,
                                     const Frames& frames, std::vector<std::string> configurations,
                                     double seconds, int rounds, double settle_s = 0);

/// The same in a stream that is there already and decides nothing itself.
std::vector<SteadyRate> rates_in(FedBin& stream, const OfferedFrames& offered,
                                 std::vector<std::string> configurations, const Turns& turns,
                                 double settle_s = 0);

/// Of one that was measured. Throws std::runtime_error when it was not.
const SteadyRate& rate_of(const std::vector<SteadyRate>& rates, const std::string& configuration);

}  // namespace tandem
