// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/device_classes.h"

namespace tandem {

DeviceClasses::DeviceClasses(const std::vector<StageRules>& stages, bool has_device)
    : stages_(stages), usable_(has_device) {}

void DeviceClasses::propose(const Devices& devices) {
  kinds_ = devices.kind;
  pending_ = letters_of(devices);
}

void DeviceClasses::lose(int device) {
  failed_[device] = true;
  usable_ = usable() > 0;
  for (Letters* letters : {&current_, &pending_}) {
    const int letter = letters->of[device];
    bool others = false;
    for (int d = 0; d < letters->devices; ++d)
      others = others || (letters->of[d] == letter && !failed_[d]);
    if (letter >= 0 && !others) letters->capable[letter] = 0;
  }
}

int DeviceClasses::usable(int kind) const {
  int usable = 0;
  for (int d = 0; d < current_.devices; ++d)
    if (!failed_[d] && (kind == kNoDevice || kinds_[d] == kind)) ++usable;
  return usable_ ? usable : 0;
}

Letters DeviceClasses::letters_of(const Devices& devices) const {
  Letters letters;
  letters.devices = devices.count;
  letters.of.fill(kNoDevice);
  int next = 0;
  for (int kind = 0; kind < kMaxLetters && usable_; ++kind) {
    bool any = false;
    for (int d = 0; d < devices.count; ++d) any = any || (devices.kind[d] == kind && !failed_[d]);
    if (!any) continue;
    for (int d = 0; d < devices.count; ++d)
      if (devices.kind[d] == kind) letters.of[d] = static_cast<int8_t>(next);
    letters.capable[next++] = devices.capable[kind];
  }
  return letters;
}

// The side of a stage that its own side cannot compute.
Side DeviceClasses::other_side(int stage, const Letters& letters) const {
  for (int letter = 0; letter < kMaxLetters && !stages_[stage].has_cpu; ++letter)
    if (can(side_of_letter(letter), stage, letters)) return side_of_letter(letter);
  return Side::c;
}

uint32_t DeviceClasses::stages_without_cpu() const {
  uint32_t bits = 0;
  for (std::size_t k = 0; k < stages_.size(); ++k) bits |= stages_[k].has_cpu ? 0 : 1u << k;
  return bits;
}

Mapping DeviceClasses::resolved(const Mapping& mapping, const Letters& letters) const {
  Mapping made = mapping;
  for (int k = 0; k < mapping.stages; ++k)
    if (!can(mapping.side(k), k, letters)) made.set(k, other_side(k, letters));
  return made;
}

int DeviceClasses::kind_of(Side side) const {
  for (int d = 0; d < current_.devices && side != Side::c; ++d)
    if (current_.of[d] == letter_of(side)) return kinds_[d];
  return 0;
}

int DeviceClasses::devices_in(const Mapping& mapping) const {
  if (mapping.device_stages() == 0) return 0;
  const uint32_t letters = mapping.letters();
  int used = 0;
  for (int d = 0; d < current_.devices; ++d)
    if (current_.of[d] >= 0 && (letters >> current_.of[d] & 1) != 0) ++used;
  return used;
}

}  // namespace tandem
