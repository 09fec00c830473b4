// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/meter_group.h"

#include <cstddef>
#include <utility>

namespace tandem {
namespace {

using Meters = std::vector<std::unique_ptr<EnergyMeter>>;

// Several meters that are read as one.
class MeterGroup : public EnergyMeter {
 public:
  explicit MeterGroup(Meters meters) : meters_(std::move(meters)) {
    for (const auto& meter : meters_)
      description_.coverage +=
          (description_.coverage.empty() ? "" : "; ") + meter->description().coverage;
  }

  std::shared_ptr<void> follow_closely() override {
    auto tokens = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (const auto& meter : meters_) tokens->push_back(meter->follow_closely());
    return tokens;
  }

  std::vector<std::string> take_messages() override {
    std::vector<std::string> all;
    for (const auto& meter : meters_)
      for (std::string& message : meter->take_messages()) all.push_back(std::move(message));
    return all;
  }

 protected:
  const Meters meters_;
};

class SummedMeter final : public MeterGroup {
 public:
  explicit SummedMeter(Meters meters) : MeterGroup(std::move(meters)) {
    std::string coverage = std::move(description_.coverage);
    description_ = meters_.front()->description();
    description_.coverage = std::move(coverage);
  }

  // Unknown when one of them is: the others would be taken for all.
  std::optional<EnergyReading> read() override {
    std::optional<EnergyReading> sum;
    for (const auto& meter : meters_) {
      const std::optional<EnergyReading> reading = meter->read();
      if (!reading) return std::nullopt;
      if (!sum) {
        sum = reading;
        continue;
      }
      sum->c += reading->c;
      sum->g += reading->g;
      sum->u += reading->u;
    }
    return sum;
  }
};

// `to` takes the wanted domains of `from`.
template <typename T>
void take(PerDomain<T>& to, const PerDomain<T>& from, const PerDomain<bool>& wanted) {
  if (wanted.c) to.c = from.c;
  if (wanted.g) to.g = from.g;
  if (wanted.u) to.u = from.u;
}

class CombinedMeter final : public MeterGroup {
 public:
  explicit CombinedMeter(Meters meters) : MeterGroup(std::move(meters)) {
    PerDomain<bool>& covers = description_.covers;
    for (const auto& meter : meters_) {
      const MeterDescription& part = meter->description();
      const PerDomain<bool> wanted =
          by_domain([](bool has, bool taken) { return has && !taken; }, part.covers, covers);
      take(covers, part.covers, wanted);
      take(description_.resolution_s, part.resolution_s, wanted);
      description_.name += (description_.name.empty() ? "" : "+") + part.name;
      description_.modelled |= part.modelled;
      wanted_.push_back(wanted);
    }
  }

  std::optional<EnergyReading> read() override {
    EnergyReading all;
    for (std::size_t i = 0; i < meters_.size(); ++i)
      if (const auto reading = meters_[i]->read()) take(all, *reading, wanted_[i]);
    return known_or_none(all);
  }

 private:
  std::vector<PerDomain<bool>> wanted_;  // of each meter
};

}  // namespace

std::unique_ptr<EnergyMeter> combine_meters(Meters meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<CombinedMeter>(std::move(meters));
}

std::unique_ptr<EnergyMeter> sum_meters(Meters meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<SummedMeter>(std::move(meters));
}

}  // namespace tandem
