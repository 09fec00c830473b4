// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Most stages that a chain can have: two bits each in a mapping.
inline constexpr int kMaxStages = 16;

/// Where a stage may run: on the cores, or on the devices of one letter.
enum class Side : uint8_t { c, g, h, i };

/// Most letters of devices: g, h and i.
inline constexpr int kMaxLetters = 3;

/// How parallelism is exploited on the CPU (paper 1, section II).
enum class Granularity {
  coarse,  ///< CG: one frame a core, n frames at a time
  medium,  ///< MG: one frame over all cores
};

/// Where stages may run: a side for each.
struct Mapping {
  uint32_t sides = 0;  ///< bits 2k and 2k + 1: the Side of stage k
  int stages = 0;

  constexpr Mapping() = default;
  /// Bit k of `device_stages` set: stage k on `side`, otherwise 'c'.
  constexpr Mapping(uint32_t device_stages, int count, Side side = Side::g) : stages(count) {
    for (int k = 0; k < count; ++k)
      if ((device_stages >> k & 1) != 0) set(k, side);
  }

  constexpr Side side(int stage) const { return static_cast<Side>(sides >> 2 * stage & 3); }
  constexpr void set(int stage, Side side) {
    sides = (sides & ~(3u << 2 * stage)) | static_cast<uint32_t>(side) << 2 * stage;
  }
  bool on_device(int stage) const { return side(stage) != Side::c; }
  bool any_device() const { return sides != 0; }
  /// How many stages may run on a device.
  int on_devices() const { return std::popcount(low_bits()); }
  /// DP: every stage may run on a device.
  bool decoupled() const { return stages > 0 && on_devices() == stages; }
  /// Bit k: stage k may run on a device.
  uint32_t device_stages() const;
  /// With the stages outside `capable` (bit k: stage k) on the cores.
  Mapping within(uint32_t capable) const;
  /// With the stages `on_device` (bit k: stage k) that are on the cores on the first device.
  Mapping with(uint32_t on_device) const;
  bool operator==(const Mapping&) const = default;

 private:
  uint32_t low_bits() const { return (sides | sides >> 1) & 0x55555555u; }  // one a device stage
};

/// Reads a mapping such as "gcc", first stage first, with device letters from the first `letters`
/// of g, h, i. Returns the empty string when it is right, else what is wrong with it.
std::string parse_mapping(std::string_view text, int stages, Mapping& mapping, int letters = 1);
std::string to_string(const Mapping& mapping);

/// Most lanes of a device.
inline constexpr int kMaxLanes = 8;

/// Most devices of one kind, which share a letter.
inline constexpr int kMaxDevices = 8;

inline constexpr int kOneLane[] = {1};

/// granularity x mapping x threads x lanes, written `gcc/cg5`, `ggg/mg` or `ggg/cg12/q4`.
struct Configuration {
  Mapping mapping;
  Granularity granularity = Granularity::coarse;
  int threads = 1;  ///< driver threads of coarse grain, 1 ... nC + 1; medium grain uses all cores
  int lanes = 1;    ///< frames that are on each device at a time, 1 ... kMaxLanes

  bool operator==(const Configuration& other) const {
    return mapping == other.mapping && granularity == other.granularity &&
           (granularity == Granularity::medium || threads == other.threads) &&
           (!mapping.any_device() || lanes == other.lanes);
  }
};
std::string to_string(const Configuration& configuration);
/// Reads what to_string() writes of a configuration of so many stages and cores. Returns the empty
/// string when it is right, else what is wrong with it.
std::string parse_configuration(std::string_view text, int stages, int cores,
                                Configuration& configuration);

/// What is left open: a configuration may be chosen when it has all that is fixed here.
struct Allowed {
  std::optional<Mapping> mapping;
  std::optional<Granularity> granularity;
  std::optional<int> threads;  ///< of coarse grain: fixes the granularity too
  std::optional<int> lanes;    ///< of configurations with the device
  /// Where several streams share the machine; 0: no bound. Does not hold for what is fixed above.
  int most_cores = 0;  ///< that threads compute on at a time; medium grain uses all
  int most_lanes = 0;
  uint32_t device_only = 0;  ///< bit k: stage k has no CPU implementation, and is on a device

  bool operator()(const Configuration& configuration) const;
  /// Whether one configuration alone is allowed, with one lane where lanes are open.
  bool fixed() const;
  /// What runs while nothing is known: coarse grain on `cores` threads where that is open, with the
  /// stages on the CPU that it can compute.
  Configuration fallback(int stages, int cores) const;
  bool operator==(const Allowed&) const = default;
};

/// All (1 + letters)^s (nC + 2) configurations (paper 1, section II-B, has one letter); mappings
/// that put a stage outside `device_capable` (bit k: stage k has a device implementation) on a
/// device, or one of `device_only` on the cores, are left out. Those with a device come once for
/// each of `lanes`. Order: mapping by mapping, threads 1 ... nC + 1, then medium grain.
std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes = kOneLane,
                                              int letters = 1, uint32_t device_only = 0);

}  // namespace tandem
