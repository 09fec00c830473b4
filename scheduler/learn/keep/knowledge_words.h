// SPDX-License-Identifier: LGPL-2.1-or-later
// How files of knowledge call the values of enumerations.
#pragma once

#include <string_view>
#include <utility>

#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

template <class Value>
using Word = std::pair<Value, std::string_view>;

inline constexpr Word<Observation::Kind> kKindWords[] = {
    {Observation::Kind::stages, "stages"}, {Observation::Kind::experiment, "experiment"},
    {Observation::Kind::beside, "beside"}, {Observation::Kind::glance, "glance"},
    {Observation::Kind::look, "look"},
};
inline constexpr Word<Domain> kDomainWords[] = {
    {Domain::absent, "absent"},
    {Domain::dominant, "dominant"},
    {Domain::additive, "additive"},
};
inline constexpr Word<Metric> kMetricWords[] = {
    {Metric::throughput, "throughput"}, {Metric::energy, "energy"},
    {Metric::efficiency, "efficiency"}, {Metric::edp, "edp"},
    {Metric::latency, "latency"},
};
inline constexpr Word<Granularity> kGranularityWords[] = {
    {Granularity::coarse, "cg"},
    {Granularity::medium, "mg"},
};

template <class Value, std::size_t kCount>
constexpr std::string_view word_of(const Word<Value> (&words)[kCount], Value value) {
  for (const auto& [known, word] : words)
    if (known == value) return word;
  return {};
}

}  // namespace tandem
