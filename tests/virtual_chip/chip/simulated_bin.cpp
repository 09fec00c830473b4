// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/simulated_bin.h"

#include <cstdio>
#include <utility>

namespace tandem::test {

SimulatedBin::SimulatedBin(const Chip& chip, unsigned seed, const Objective& objective,
                           double max_overhead)
    : chip_(chip), simulation_(chip, seed) {
  Chain chain;
  chain.stages = static_cast<int>(chip.stages.size());
  chain.cores = chip.cores;
  chain.device_capable = chip.device_capable();
  chain.can_split = chip.can_split();
  chain.device_only = chip.device_only();
  for (int k = 0; k < chain.stages; ++k)
    chain.serial_stages |= chip.stages[static_cast<std::size_t>(k)].serial ? 1u << k : 0;
  chain.devices = chip.devices;
  for (const int lanes : chip.lanes())
    if (lanes > 1) chain.lanes.push_back(lanes);
  for (const Chip::Kind& kind : chip.further)
    chain.further.push_back({chain.device_capable, kind.devices, chain.lanes});
  chain.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  chain.energy_resolution_s = chip.meter_resolution_s;
  controller_ = std::make_unique<Controller>(chain, std::make_shared<Knowledge>(), [this] {
    return Probe{static_cast<uint64_t>(1e9 * simulation_.now_s()), simulation_.cpu_s(),
                 simulation_.energy().reading(), chip_.cores};
  });
  DeviceSide side{
      .letters = {{chain.device_capable, chain.devices, chain.lanes, chip.device_threads > 0}}};
  side.letters.insert(side.letters.end(), chain.further.begin(), chain.further.end());
  controller_->set_device(side);
  controller_->decided = [this](const Decision& decision) { decisions_.push_back(decision); };
  AdaptRules rules;
  rules.max_overhead = max_overhead;
  controller_->set_rules(rules);
  controller_->set_objective(objective);
}

void SimulatedBin::trained(std::function<void(const Conditions&, const Learnt&)> tell) {
  controller_->trained = std::move(tell);
}

void SimulatedBin::print_what_is_tried() {
  controller_->observed = [this](const Observation& seen) {
    std::printf("%7.3f s  measured %s: %.1f fps\n", simulation_.now_s(),
                to_string(seen.configuration).c_str(), 1 / seen.frame_s);
  };
  controller_->looked = [this](const Observation& seen) {
    std::printf("%7.3f s  looked at %s: %.1f fps\n", simulation_.now_s(),
                to_string(seen.configuration).c_str(), 1 / seen.frame_s);
  };
  controller_->tries = [this](const std::string& why) {
    std::printf("%7.3f s  %s\n", simulation_.now_s(), why.c_str());
  };
  controller_->tried = [this](const Trial& trial) {
    std::printf("%7.3f s  tried %s: %.1f fps (%.1f expected), %.4g J (%.4g); looks: %zu\n",
                simulation_.now_s(), to_string(trial.configuration).c_str(),
                trial.measured.throughput_fps, trial.predicted.throughput_fps,
                trial.measured.energy_j, trial.predicted.energy_j, trial.looks.size());
  };
}

void SimulatedBin::frames_changed(const Conditions& conditions) {
  const Step step = controller_->frames_changed(conditions, chip_.window,
                                                Intervals(chip_.intervals, chip_.repeat).period());
  simulation_.configure(step.configuration, step.time_stages, step.spaced);
}

void SimulatedBin::device_failed() {
  const Step step = controller_->device_failed();
  simulation_.configure(step.configuration, step.time_stages, step.spaced);
}

void SimulatedBin::next() {
  const Simulation::Frame frame = simulation_.next();
  if (const auto step = controller_->frame_done(frame.times, frame.device_stages))
    simulation_.configure(step->configuration, step->time_stages, step->spaced);
}

bool SimulatedBin::run_to_decision(int most) {
  const std::size_t before = decisions_.size();
  while (decisions_.size() == before && most-- > 0) next();
  return decisions_.size() > before;
}

void SimulatedBin::run_until(double now_s) {
  while (simulation_.now_s() < now_s) next();
}

}  // namespace tandem::test
