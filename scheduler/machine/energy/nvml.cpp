// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/nvml.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "files/ascii.h"
#include "files/parse_number.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Reason = EnergyUnavailable::Reason;
using Gpu = NvmlLibrary::Gpu;

// Measured on an H200: the counter has a new value every 100 ms, of the energy until then.
constexpr double kCounterResolutionS = 0.1;
constexpr double kMostGpuW = 2500;
constexpr double kGpuRestS = 2;  // an idle GPU draws watts too
// The longest wait of a caller that begins to follow closely.
constexpr std::chrono::milliseconds kPause{20};
// A value is asked for often from shortly before it is due until it comes: the watts of 0.1 s are
// off by as much as its moment is.
constexpr std::chrono::milliseconds kDue{86}, kOverdue{130}, kOften{4};
// Where nobody follows closely. A call took 4 ms of a core while several threads asked.
constexpr std::chrono::milliseconds kPauseUnfollowed{250};
constexpr std::chrono::milliseconds kPauseAfterError{1000};
// Power readings further apart than this do not show the power between them.
constexpr double kLongestPowerGapS = 0.5;

bool ends_with(const std::string& text, const std::string& end) {
  return !end.empty() && ascii_lower(text).ends_with(ascii_lower(end));
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, is_ascii_digit);
}

std::string list(const std::vector<Gpu>& gpus) {
  std::string text;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    text += (i ? "; " : "") + std::to_string(i) + ": " + gpus[i].name + " (" + gpus[i].pci_id + ")";
  }
  return text;
}

NvmlLibrary::Gpu chosen(const NvmlLibrary& library, const NvmlOptions& options) {
  const std::vector<Gpu> gpus = library.gpus();
  return gpus[choose_gpu(gpus, options)];
}

}  // namespace

std::size_t choose_gpu(const std::vector<Gpu>& gpus, const NvmlOptions& options) {
  if (gpus.empty()) throw EnergyUnavailable(Reason::absent, "NVML: no GPU answers");
  const auto place = [&](auto fits) -> std::optional<std::size_t> {
    const auto found = std::find_if(gpus.begin(), gpus.end(), fits);
    if (found == gpus.end()) return std::nullopt;
    return static_cast<std::size_t>(found - gpus.begin());
  };
  const auto by_pci = [&](const std::string& id) {
    return place([&](const Gpu& gpu) { return ends_with(gpu.pci_id, id); });
  };
  const auto by_name = [&](const std::string& name) {
    const auto whole =
        place([&](const Gpu& gpu) { return ascii_lower(gpu.name) == ascii_lower(name); });
    return whole ? whole : place([&](const Gpu& gpu) {
      return ascii_lower(gpu.name).find(ascii_lower(name)) != std::string::npos;
    });
  };
  std::optional<std::size_t> found;
  if (is_number(options.gpu)) {
    const auto index = parse_number<std::size_t>(options.gpu);
    if (index && *index < gpus.size()) found = index;
  } else if (!options.gpu.empty()) {
    found = by_pci(options.gpu);
    if (!found) found = by_name(options.gpu);
  } else if (!options.opencl_device.empty()) {
    found = by_pci(options.opencl_pci_id);
    if (!found) found = by_name(options.opencl_device);
  } else {
    found = 0;
  }
  if (found) return *found;
  const std::string wanted = options.gpu.empty() ? options.opencl_device : options.gpu;
  throw EnergyUnavailable(Reason::absent, "NVML: no GPU '" + wanted + "'",
                          "Available: " + list(gpus));
}

std::vector<std::size_t> choose_gpus(const std::vector<Gpu>& gpus, const NvmlOptions& options,
                                     int count) {
  std::vector<std::size_t> chosen{choose_gpu(gpus, options)};
  const std::string& name = gpus[chosen.front()].name;
  for (std::size_t i = 0; i < gpus.size() && std::ssize(chosen) < count; ++i)
    if (i != chosen.front() && gpus[i].name == name) chosen.push_back(i);
  if (std::ssize(chosen) == count) return chosen;
  throw EnergyUnavailable(Reason::absent,
                          "NVML: " + std::to_string(count) + " GPUs '" + name +
                              "' compute, but NVML found " + std::to_string(chosen.size()),
                          "Available: " + list(gpus));
}

void AskingTimes::asked(MeterClock::time_point now, MeterClock::time_point changed_at) {
  if (changed_at != changed_at_) found_soon_ = now - asked_at_ <= 2 * kOften;
  asked_at_ = now;
  changed_at_ = changed_at;
}

std::chrono::milliseconds AskingTimes::pause() const {
  const auto since_last =
      std::chrono::duration_cast<std::chrono::milliseconds>(asked_at_ - changed_at_);
  if (since_last >= kOverdue) return kPause;
  return !found_soon_ || since_last >= kDue ? kOften : kDue - since_last;
}

NvmlCounter::NvmlCounter(const NvmlOptions& options, MeterDescription& description)
    : library_(options.library),
      gpu_(chosen(library_, options)),
      energy_({0, kCounterResolutionS, kMostGpuW, kGpuRestS}) {
  const auto energy = library_.total_energy_j(gpu_);
  const auto power = library_.power_w(gpu_);
  has_counter_ = energy.value.has_value();
  if (!has_counter_ && !power.value) {
    throw EnergyUnavailable(
        Reason::absent,
        "NVML: " + gpu_.name + " reports neither energy nor power: " + energy.error);
  }
  description.name = "nvml";
  description.coverage = gpu_.name + (gpu_.pci_id.empty() ? "" : " (" + gpu_.pci_id + ")") +
                         (has_counter_ ? ": device (G)" : ": device (G), from power readings");
  description.covers.g = true;
  description.resolution_s.g = kCounterResolutionS;
}

void NvmlCounter::add_power(double watts, MeterClock::time_point now) {
  if (last_power_at_) {
    const double gap_s = seconds(now - *last_power_at_);
    if (gap_s > kLongestPowerGapS) energy_.lose();
    sum_j_ += gap_s * (last_w_ + watts) / 2;
  }
  last_power_at_ = now;
  last_w_ = watts;
}

bool NvmlCounter::sample(MeterClock::time_point now, MessageBox& messages) {
  const auto answer = has_counter_ ? library_.total_energy_j(gpu_) : library_.power_w(gpu_);
  if (!answer.value) {
    energy_.lose();
    last_power_at_.reset();
    messages.tell_once("error", "NVML: " + gpu_.name + ": " + answer.error +
                                    "; its energy is unknown until it answers again");
    return false;
  }
  if (!has_counter_) add_power(*answer.value, now);
  const MonotonicCounter::Event event = energy_.add(has_counter_ ? *answer.value : sum_j_, now);
  asking_.asked(now, energy_.changed_at());
  if (event != MonotonicCounter::Event::none) {
    messages.tell_once(std::to_string(static_cast<int>(event)),
                       describe(event, "NVML: the energy of " + gpu_.name));
  }
  return true;
}

std::chrono::milliseconds NvmlCounter::pause() const {
  return has_counter_ ? asking_.pause() : kPause;
}

std::optional<EnergyReading> NvmlCounter::reading() const {
  EnergyReading reading;
  reading.g = {energy_.since_open_j(), energy_.changed_at(), energy_.breaks()};
  return known_or_none(reading);
}

std::shared_ptr<NvmlSource> NvmlSource::open(const NvmlOptions& options) {
  MeterDescription description;
  auto counter = std::make_unique<NvmlCounter>(options, description);
  // Two GPUs without an address are told apart by their handles.
  const auto& gpu = counter->gpu();
  const auto key =
      std::tuple(options.library, gpu.pci_id, gpu.pci_id.empty() ? gpu.handle : nullptr);
  static std::mutex mutex;
  static std::map<std::remove_const_t<decltype(key)>, std::weak_ptr<NvmlSource>> opened;
  const std::lock_guard lock(mutex);
  std::weak_ptr<NvmlSource>& known = opened[key];
  std::shared_ptr<NvmlSource> source = known.lock();
  if (!source) {
    source = std::make_shared<NvmlSource>(std::move(counter), std::move(description));
    known = source;
  }
  return source;
}

NvmlSource::NvmlSource(std::unique_ptr<NvmlCounter> counter, MeterDescription description)
    : description_(std::move(description)), counter_(std::move(counter)) {
  answered_ = sample();  // energy is counted from here on
  sampler_ = std::make_unique<Sampler>([this](int) { return look(); });
}

// Where nobody follows closely it wakes often all the same, so that a new follower need not wait.
std::chrono::milliseconds NvmlSource::look() {
  const bool closely = followers_.use_count() > 1;
  if (closely && answered_) {
    answered_ = sample();
    return counter_->pause();
  }
  const auto pause = answered_ ? kPauseUnfollowed : kPauseAfterError;
  if (MeterClock::now() - sampled_at_ >= pause) answered_ = sample();
  return kPause;
}

bool NvmlSource::sample() {
  sampled_at_ = MeterClock::now();
  const bool answered = counter_->sample(sampled_at_, messages_);
  const std::lock_guard lock(mutex_);
  reading_ = counter_->reading();
  return answered;
}

std::optional<EnergyReading> NvmlSource::reading() const {
  const std::lock_guard lock(mutex_);
  return reading_;
}

NvmlMeter::NvmlMeter(const NvmlOptions& options) : source_(NvmlSource::open(options)) {
  description_ = source_->description();
  if (const auto reading = source_->reading()) opened_at_j_ = reading->g.since_open_j.value_or(0);
}

std::optional<EnergyReading> NvmlMeter::read() {
  std::optional<EnergyReading> reading = source_->reading();
  if (reading) *reading->g.since_open_j -= opened_at_j_;
  return reading;
}

}  // namespace tandem
