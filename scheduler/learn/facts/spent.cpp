// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/facts/spent.h"

#include <algorithm>
#include <iterator>

namespace tandem {
namespace {

SpentOn on_what(const Observation& seen) {
  if (seen.kind == Observation::Kind::glance) return SpentOn::glances;
  if (seen.kind == Observation::Kind::look) return SpentOn::looks;
  if (seen.kind == Observation::Kind::beside) return SpentOn::beside;
  if (seen.configuration.mapping.any_device()) return SpentOn::device;
  const bool medium = seen.configuration.granularity == Granularity::medium;
  return medium ? SpentOn::medium : SpentOn::cores;
}

}  // namespace

const char* to_string(SpentOn on) {
  constexpr const char* kNames[] = {
      "device", "cores-beside-device", "cores", "medium-grain", "glances", "looks", "switches"};
  static_assert(std::size(kNames) == kSpentOn);
  return kNames[static_cast<int>(on)];
}

void Spent::add(const Spent& other) {
  for (int i = 0; i < kSpentOn; ++i) {
    parts[i].runs += other.parts[i].runs;
    parts[i].frames += other.parts[i].frames;
    parts[i].seconds += other.parts[i].seconds;
  }
}

Spent spent_on(std::span<const Observation> observations, const Training& cost) {
  Spent spent;
  Spent::Part rest{0, cost.frames, cost.seconds};
  for (const Observation& seen : observations) {
    Spent::Part& part = spent.parts[static_cast<int>(on_what(seen))];
    ++part.runs;
    part.frames += seen.frames;
    part.seconds += seen.lasted_s;
    ++rest.runs;
    rest.frames -= seen.frames;
    rest.seconds -= seen.lasted_s;
  }
  rest.frames = std::max(0, rest.frames);
  rest.seconds = std::max(0.0, rest.seconds);
  spent.parts[static_cast<int>(SpentOn::switches)] = rest;
  return spent;
}

}  // namespace tandem
