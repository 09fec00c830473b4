// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/live_chip.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

namespace tandem::test {
namespace {

// A thread that was woken up late takes that off what it does next, when it does so at once: what
// the machine and the executor take is no time of the chip. After a longer pause it begins afresh.
constexpr double kMostMadeUpS = 5e-2;

double now_s() {
  return std::chrono::duration<double>(MeterClock::now().time_since_epoch()).count();
}

}  // namespace

class LiveChip::Meter final : public EnergyMeter {
 public:
  explicit Meter(LiveChip& chip) : chip_(chip) {
    const double resolution_s = chip.chip().meter_resolution_s;
    description_ = {.name = "chip",
                    .coverage = "all of a described chip",
                    .covers = {true, true, true},
                    .resolution_s = {resolution_s, resolution_s, resolution_s}};
  }
  std::optional<EnergyReading> read() override {
    const std::lock_guard lock(chip_.mutex_);
    chip_.begin_or_end(Where::core, 0);
    return chip_.energy_.reading();
  }

 private:
  LiveChip& chip_;
};

LiveChip::LiveChip(const Chip& chip, unsigned seed)
    : chip_(chip),
      random_(seed),
      noise_(-chip.noise * chip.noise / 2, chip.noise),
      energy_(chip.meter_resolution_s, chip.meter_pause_s, now_s()) {}

std::shared_ptr<EnergyMeter> LiveChip::meter() { return std::make_shared<Meter>(*this); }

void LiveChip::slow_down(double factor) {
  const std::lock_guard lock(mutex_);
  slower_ = factor;
}

void LiveChip::compute(int stage, Where where) {
  double until_s;
  {
    const std::lock_guard lock(mutex_);
    begin_or_end(where, 1);
    until_s = due_s(where, slower_ * mean_s(stage, where) * noise_(random_));
  }
  const auto whole_s = static_cast<time_t>(until_s);
  const timespec due{whole_s, static_cast<long>(1e9 * (until_s - static_cast<double>(whole_s)))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) continue;
  const std::lock_guard lock(mutex_);
  begin_or_end(where, -1);
}

// With the frame that begins counted among those on the cores.
double LiveChip::mean_s(int stage, Where where) const {
  const Chip::Stage& times = chip_.stages[stage];
  if (where == Where::device) return times.device_s;
  if (where == Where::all_cores) return times.medium_s;
  return times.core_s * chip_.slowdown[std::min(frames_[0], chip_.cores + 1) - 1];
}

void LiveChip::begin_or_end(Where where, int frames) {
  energy_.pass(now_s(), power_w(chip_, {.on_cores = frames_[0],
                                        .medium = frames_[1] > 0 ? 1.0 : 0,
                                        .on_device = frames_[2]}));
  frames_[static_cast<int>(where)] += frames;
}

// Of what begins now and takes so long.
double LiveChip::due_s(Where where, double seconds) {
  thread_local double thread_due_s = 0;
  // Threads follow each other on all cores: who comes next makes up for who went before.
  double& due_s = where == Where::all_cores ? all_cores_due_s_ : thread_due_s;
  const double began_s = now_s();
  due_s = (began_s - due_s < kMostMadeUpS ? due_s : began_s) + seconds;
  return thread_due_s = due_s;
}

}  // namespace tandem::test
