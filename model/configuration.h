// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Most stages that a chain can have: one bit each in a mapping.
inline constexpr int kMaxStages = 16;

/// How parallelism is exploited on the CPU (paper 1, section II).
enum class Granularity {
  coarse,  ///< CG: one frame a core, n frames at a time
  medium,  ///< MG: one frame over all cores
};

/// Where stages may run. Bit k set: stage k may run on the device ('g'), otherwise 'c'.
struct Mapping {
  uint32_t device_stages = 0;
  int stages = 0;

  bool on_device(int stage) const { return (device_stages >> stage & 1) != 0; }
  bool any_device() const { return device_stages != 0; }
  /// DP: every stage may run on the device.
  bool decoupled() const { return stages > 0 && device_stages == (1u << stages) - 1; }
  bool operator==(const Mapping&) const = default;
};

/// Reads a mapping such as "gcc", first stage first. Returns the empty string when it is right,
/// else what is wrong with it.
std::string parse_mapping(std::string_view text, int stages, Mapping& mapping);
std::string to_string(const Mapping& mapping);

/// Most lanes of a device.
inline constexpr int kMaxLanes = 8;

inline constexpr int kOneLane[] = {1};

/// granularity x mapping x threads x lanes, written `gcc/cg5`, `ggg/mg` or `ggg/cg12/q4`.
struct Configuration {
  Mapping mapping;
  Granularity granularity = Granularity::coarse;
  int threads = 1;  ///< driver threads of coarse grain, 1 ... nC + 1; medium grain uses all cores
  int lanes = 1;    ///< frames that are on the device at a time, 1 ... kMaxLanes

  bool operator==(const Configuration& other) const {
    return mapping == other.mapping && granularity == other.granularity &&
           (granularity == Granularity::medium || threads == other.threads) &&
           (!mapping.any_device() || lanes == other.lanes);
  }
};
std::string to_string(const Configuration& configuration);

/// What is left open: a configuration may be chosen when it has all that is fixed here.
struct Allowed {
  std::optional<Mapping> mapping;
  std::optional<Granularity> granularity;
  std::optional<int> threads;  ///< of coarse grain: fixes the granularity too
  std::optional<int> lanes;    ///< of configurations with the device
  /// Where several streams share the machine; 0: no bound. Does not hold for what is fixed above.
  int most_cores = 0;  ///< that threads compute on at a time; medium grain uses all
  int most_lanes = 0;

  bool operator()(const Configuration& configuration) const;
  /// Whether one configuration alone is allowed, with one lane where lanes are open.
  bool fixed() const;
  /// What runs while nothing is known: all-CPU coarse grain on `cores` threads where that is open.
  Configuration fallback(int stages, int cores) const;
  bool operator==(const Allowed&) const = default;
};

/// All 2^s (nC + 2) configurations (paper 1, section II-B); mappings that put a stage outside
/// `device_capable` (bit k: stage k has a device implementation) on the device are left out.
/// Those with the device come once for each of `lanes`. Order: mapping by mapping, threads 1 ...
/// nC + 1, then medium grain.
std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes = kOneLane);

}  // namespace tandem
