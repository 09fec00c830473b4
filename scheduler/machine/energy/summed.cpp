// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <iterator>
#include <utility>

#include "scheduler/machine/energy/combined.h"

namespace tandem {
namespace {

/// What several meters of the same domains tell, added up.
class SummedMeter final : public EnergyMeter {
 public:
  explicit SummedMeter(std::vector<std::unique_ptr<EnergyMeter>> meters)
      : meters_(std::move(meters)) {
    description_ = meters_.front()->description();
    for (std::size_t i = 1; i < meters_.size(); ++i)
      description_.coverage += "; " + meters_[i]->description().coverage;
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
      add(*sum, *reading, &EnergyDomains::c, &PerDomain<MeterClock::time_point>::c,
          &PerDomain<uint32_t>::c);
      add(*sum, *reading, &EnergyDomains::g, &PerDomain<MeterClock::time_point>::g,
          &PerDomain<uint32_t>::g);
      add(*sum, *reading, &EnergyDomains::u, &PerDomain<MeterClock::time_point>::u,
          &PerDomain<uint32_t>::u);
    }
    return sum;
  }

  std::shared_ptr<void> follow_closely() override {
    auto tokens = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (const auto& meter : meters_) tokens->push_back(meter->follow_closely());
    return tokens;
  }

  std::vector<std::string> take_messages() override {
    std::vector<std::string> all;
    for (const auto& meter : meters_) {
      std::vector<std::string> some = meter->take_messages();
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
    return all;
  }

 private:
  template <typename Joules, typename At, typename Breaks>
  static void add(EnergyReading& sum, const EnergyReading& more, Joules joules, At at,
                  Breaks breaks) {
    std::optional<double>& total = sum.since_open_j.*joules;
    const std::optional<double>& part = more.since_open_j.*joules;
    total = total && part ? std::optional(*total + *part) : std::nullopt;
    sum.at.*at = std::max(sum.at.*at, more.at.*at);
    sum.breaks.*breaks += more.breaks.*breaks;
  }

  std::vector<std::unique_ptr<EnergyMeter>> meters_;
};

}  // namespace

std::unique_ptr<EnergyMeter> sum_meters(std::vector<std::unique_ptr<EnergyMeter>> meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<SummedMeter>(std::move(meters));
}

}  // namespace tandem
