// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/combined.h"

#include <iterator>
#include <utility>

namespace tandem {
namespace {

// `to` takes one domain of `from`, if it covers it and nobody before did.
template <typename T>
void take(PerDomain<T>& to, const PerDomain<T>& from, const PerDomain<bool>& wanted) {
  if (wanted.c) to.c = from.c;
  if (wanted.g) to.g = from.g;
  if (wanted.u) to.u = from.u;
}

class CombinedMeter final : public EnergyMeter {
 public:
  explicit CombinedMeter(std::vector<std::unique_ptr<EnergyMeter>> meters) {
    for (std::unique_ptr<EnergyMeter>& meter : meters) {
      const MeterDescription& part = meter->description();
      PerDomain<bool>& covers = description_.covers;
      const PerDomain<bool> wanted{part.covers.c && !covers.c, part.covers.g && !covers.g,
                                   part.covers.u && !covers.u};
      take(covers, part.covers, wanted);
      take(description_.resolution_s, part.resolution_s, wanted);
      description_.name += (description_.name.empty() ? "" : "+") + part.name;
      description_.coverage += (description_.coverage.empty() ? "" : "; ") + part.coverage;
      description_.modelled |= part.modelled;
      parts_.push_back({std::move(meter), wanted});
    }
  }

  std::optional<EnergyReading> read() override {
    EnergyReading all;
    for (const Part& part : parts_) {
      const std::optional<EnergyReading> reading = part.meter->read();
      if (!reading) continue;
      take(all.since_open_j, reading->since_open_j, part.wanted);
      take(all.at, reading->at, part.wanted);
      take(all.breaks, reading->breaks, part.wanted);
    }
    if (all.since_open_j == EnergyDomains{}) return std::nullopt;
    return all;
  }

  std::shared_ptr<void> follow_closely() override {
    auto tokens = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (const Part& part : parts_) tokens->push_back(part.meter->follow_closely());
    return tokens;
  }

  std::vector<std::string> take_messages() override {
    std::vector<std::string> all;
    for (const Part& part : parts_) {
      std::vector<std::string> some = part.meter->take_messages();
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
    return all;
  }

 private:
  struct Part {
    std::unique_ptr<EnergyMeter> meter;
    PerDomain<bool> wanted;
  };
  std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<EnergyMeter> combine_meters(std::vector<std::unique_ptr<EnergyMeter>> meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<CombinedMeter>(std::move(meters));
}

}  // namespace tandem
