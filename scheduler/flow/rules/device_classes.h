// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model/configuration.h"

namespace tandem {

/// No device, no lane or no worker.
inline constexpr int kNoDevice = -1;

/// The devices of a machine, and the stages that they can compute. Devices of one kind have
/// neighbouring numbers.
struct Devices {
  /// `devices` of one kind.
  Devices(uint32_t capable_of, int devices = 1)  // NOLINT(google-explicit-constructor)
      : count(std::clamp(devices, 1, kMaxDevices)), capable{capable_of} {}

  int count;                                    ///< of all kinds
  std::array<uint8_t, kMaxDevices> kind{};      ///< of each: 0 ... kMaxLetters - 1
  std::array<uint32_t, kMaxLetters> capable{};  ///< of each kind, bit k: it can compute stage k
};

/// Properties of a stage that decide where and when it is computed.
struct StageRules {
  bool serial = false;        ///< frames pass it in the order of the stream
  bool changes_item = false;  ///< the stages before it cannot be computed again afterwards
  bool has_cpu = true;        ///< false: only a device can compute it
};

/// The meaning of the letters of mappings: the kinds with a usable device, in their order.
struct Letters {
  int devices = 1;                              ///< of all letters
  std::array<int8_t, kMaxDevices> of{};         ///< of each device; 0: g; negative: none
  std::array<uint32_t, kMaxLetters> capable{};  ///< of each letter

  bool operator==(const Letters&) const = default;
};

/// The device classes that the letters of a mapping name, and the side that computes a stage.
///
/// Devices of one kind are a class and share a letter. A failed device is never used again. With
/// the last device of a letter, the letter's stages move to the CPU at once, and the letters behind
/// it move up with the next configuration.
class DeviceClasses {
 public:
  DeviceClasses(const std::vector<StageRules>& stages, bool has_device);

  /// Letters for the next configuration. Kinds without a usable device get none.
  void propose(const Devices& devices);
  bool is_pending() const { return pending_ != current_; }
  void apply() { current_ = pending_; }

  /// Marks a device as failed.
  void lose(int device);
  bool failed(int device) const { return failed_[device]; }
  bool any_usable() const { return usable_; }
  /// Devices that have not failed: of one kind, or of all.
  int usable(int kind = kNoDevice) const;

  int devices() const { return current_.devices; }
  int pending_devices() const { return pending_.devices; }
  int letter(int device) const { return current_.of[device]; }  ///< negative: none
  int kind(int device) const { return kinds_[device]; }
  int kind_of(Side side) const;  ///< 0 for the CPU
  bool can_compute(int letter) const { return current_.capable[letter] != 0; }
  /// Devices whose letter the mapping uses.
  int devices_in(const Mapping& mapping) const;

  /// The side that computes a stage. A stage whose letter cannot compute it is the CPU's, or, if it
  /// has no CPU implementation, the first capable letter's.
  Side side(const Mapping& mapping, int stage) const {
    const Side side = mapping.side(stage);
    return can(side, stage, current_) ? side : other_side(stage, current_);
  }
  /// Bit k: stage k has no CPU implementation.
  uint32_t stages_without_cpu() const;
  Mapping resolved(const Mapping& mapping) const { return resolved(mapping, current_); }
  Mapping resolved_pending(const Mapping& mapping) const { return resolved(mapping, pending_); }

 private:
  Letters letters_of(const Devices& devices) const;
  // Whether a side can compute a stage.
  bool can(Side side, int stage, const Letters& letters) const {
    return side == Side::c ? stages_[stage].has_cpu
                           : (letters.capable[letter_of(side)] >> stage & 1) != 0;
  }
  Side other_side(int stage, const Letters& letters) const;
  Mapping resolved(const Mapping& mapping, const Letters& letters) const;

  const std::vector<StageRules>& stages_;
  bool usable_;  ///< any device
  std::array<bool, kMaxDevices> failed_{};
  std::array<uint8_t, kMaxDevices> kinds_{};
  Letters current_, pending_;
};

}  // namespace tandem
