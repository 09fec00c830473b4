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

/// Most stages that a chain can have: four bits each in a mapping.
inline constexpr int kMaxStages = 16;

/// Where a stage may run: on the cores, on the devices of one letter, or on both sides at a time.
/// `s` computes the first rows of a frame on a device of the letter g, the last rows on the cores.
enum class Side : uint8_t { c, g, h, i, s };

/// Most letters of devices: g, h and i.
inline constexpr int kMaxLetters = 3;

/// The letter of a side, 0 for g. Split stages are on g.
constexpr int letter_of(Side side) {
  return side == Side::s ? 0 : static_cast<int>(side) - static_cast<int>(Side::g);
}
constexpr Side side_of_letter(int letter) {
  return static_cast<Side>(static_cast<int>(Side::g) + letter);
}

/// How parallelism is exploited on the CPU (Vilches, section II).
enum class Granularity {
  coarse,  ///< CG: one frame a core, n frames at a time
  medium,  ///< MG: one frame over all cores, or several at a time over a part of the cores each
};

/// Where stages may run: a side for each.
struct Mapping {
  uint64_t sides = 0;  ///< bits 4k to 4k + 3: the Side of stage k
  int stages = 0;

  constexpr Mapping() = default;
  /// Bit k of `device_stages` set: stage k on `side`, otherwise 'c'.
  constexpr Mapping(uint32_t device_stages, int count, Side side = Side::g) : stages(count) {
    for (int k = 0; k < count; ++k)
      if ((device_stages >> k & 1) != 0) set(k, side);
  }

  constexpr Side side(int stage) const { return static_cast<Side>(sides >> 4 * stage & 15); }
  constexpr void set(int stage, Side side) {
    sides = (sides & ~(uint64_t{15} << 4 * stage)) | static_cast<uint64_t>(side) << 4 * stage;
  }
  bool on_device(int stage) const { return side(stage) != Side::c && !split(stage); }
  bool split(int stage) const { return side(stage) == Side::s; }
  /// Whether a device has a part in any stage, split ones included.
  bool any_device() const { return sides != 0; }
  bool any_split() const { return (sides & kSplitBits) != 0; }
  bool any_further_letter() const { return (letters() & ~1u) != 0; }
  /// Bit 0: a stage is on g or split, bit 1: one is on h, bit 2: one is on i.
  uint32_t letters() const {
    const uint64_t low = sides & kLowBits, high = sides >> 1 & kLowBits;
    return ((low & ~high) != 0 || any_split() ? 1u : 0) | ((high & ~low) != 0 ? 2u : 0) |
           ((low & high) != 0 ? 4u : 0);
  }
  bool several_letters() const { return std::popcount(letters()) > 1; }
  /// How many stages may run on a device.
  int on_devices() const { return std::popcount((sides | sides >> 1) & kLowBits); }
  /// DP: every stage may run on a device.
  bool decoupled() const { return stages > 0 && on_devices() == stages; }
  /// Bit k: stage k may run on a device.
  uint32_t device_stages() const;
  /// Bit k: stage k is split.
  uint32_t split_stages() const;
  /// With the stages outside `capable` (bit k: stage k) on the cores.
  Mapping within(uint32_t capable) const;
  /// With the stages `on_device` (bit k: stage k) that are on the cores on the first device.
  Mapping with(uint32_t on_device) const;
  bool operator==(const Mapping&) const = default;

 private:
  static constexpr uint64_t kLowBits = 0x1111111111111111u;
  static constexpr uint64_t kSplitBits = kLowBits << 2;  // Side::s is the only one that has it
};

/// Reads a mapping such as "gcc", first stage first. Device letters are the first `letters` of g,
/// h, i; stages of `can_split` (bit k: stage k) may have the letter s. Returns the empty string if
/// the mapping is right, else a description of the fault.
std::string parse_mapping(std::string_view text, int stages, Mapping& mapping, int letters = 1,
                          uint32_t can_split = 0);
std::string to_string(const Mapping& mapping);

/// Most lanes of a device.
inline constexpr int kMaxLanes = 8;

/// Most devices of one kind, which share a letter.
inline constexpr int kMaxDevices = 8;

inline constexpr int kOneLane[] = {1};

/// Numbers of frames that medium grain computes at a time.
inline constexpr int kFramesAtOnce[] = {1, 2, 4};

/// The share of the rows that the cores compute of split stages while nothing is known, in percent.
inline constexpr int kHalfOfTheRows = 50;

/// Bounds of that percentage where each side has rows.
inline constexpr int kLeastShare = 1, kMostShare = 99;

/// Most bands in which a device computes a frame.
inline constexpr int kMaxTasks = 16;

/// granularity x mapping x threads x lanes x tasks x share, written `gcc/cg5`, `ggg/mg`,
/// `ggg/cg12/q4`, `ggg/cg1/t4`, `ccc/mg2` or `sss/mg/a37`. Split stages need medium grain.
struct Configuration {
  Mapping mapping;
  Granularity granularity = Granularity::coarse;
  int threads = 1;  ///< worker threads of coarse grain, 1 ... nC + 1; medium grain uses all cores
  int lanes = 1;    ///< frames that are on each device at a time, 1 ... kMaxLanes
  /// Medium grain only, one of kFramesAtOnce: each frame has cores / frames_at_once of the cores.
  int frames_at_once = 1;
  /// Percent of the rows that the cores compute of split stages, 1 ... 99; 0: no stage is split.
  int cpu_share = 0;
  /// Bands in which devices compute what they can of a frame, so that its copies and its kernels
  /// overlap; 1 ... kMaxTasks, 1: the whole frame.
  int tasks = 1;

  bool operator==(const Configuration& other) const {
    return mapping == other.mapping && granularity == other.granularity &&
           (granularity == Granularity::medium ? frames_at_once == other.frames_at_once
                                               : threads == other.threads) &&
           (!mapping.any_device() || (lanes == other.lanes && tasks == other.tasks)) &&
           (!mapping.any_split() || cpu_share == other.cpu_share);
  }
};
std::string to_string(const Configuration& configuration);
/// Reads the text that to_string() writes for a configuration of so many stages and cores. Stages
/// of `can_split` may have the letter s. Returns the empty string if the text is right, else a
/// description of the fault.
std::string parse_configuration(std::string_view text, int stages, int cores,
                                Configuration& configuration, uint32_t can_split = ~0u);

/// Constraints of a choice: a configuration is allowed if it has all that is fixed here.
struct Constraints {
  std::optional<Mapping> mapping;
  std::optional<Granularity> granularity;
  std::optional<int> threads;  ///< of coarse grain: fixes the granularity too
  std::optional<int> lanes;    ///< of configurations with the device
  std::optional<int> tasks;    ///< likewise, where no stage is split
  int frames_at_once = 1;      ///< where `granularity` is medium
  /// Percent of the rows that the cores compute where stages are split; 0: none may be split.
  std::optional<int> cpu_share;
  /// Bounds where several streams share the machine; 0: no bound. Values fixed above may exceed it.
  int most_cores = 0;  ///< that threads compute on at a time; medium grain uses all
  int most_lanes = 0;
  uint32_t device_only = 0;  ///< bit k: stage k has no CPU implementation, and is on a device

  bool operator()(const Configuration& configuration) const;
  /// Whether a single configuration is allowed, with one lane where lanes are open. Also true for
  /// a mapping with further letters, for which nothing is measured.
  bool fixed() const;
  /// Describes constraints that exclude each other; empty if there are none.
  std::string contradiction() const;
  /// The configuration while nothing is known: coarse grain on `cores` threads where that is open,
  /// with the stages on the CPU that it can compute.
  Configuration fallback(int stages, int cores) const;
  bool operator==(const Constraints&) const = default;
};

/// All (1 + letters)^s (nC + 2) configurations (Vilches, section II-B, has one letter). Only stages
/// of `device_capable` are on a device, and those of `device_only` always are (bit k: stage k).
/// Configurations with a device come once for each of `lanes`. Order: mapping by mapping, threads
/// 1 ... nC + 1, then medium grain.
///
/// If any stage can be split (`can_split`, bit k: stage k), medium grain has two and four frames at
/// a time too, as far as there are cores. Mappings have to be all 'c' or all on devices for that.
/// Mappings in which all these stages are split come last: one lane, once for each `cpu_shares`.
std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes = kOneLane,
                                              int letters = 1, uint32_t device_only = 0,
                                              uint32_t can_split = 0,
                                              std::span<const int> cpu_shares = {});

}  // namespace tandem
