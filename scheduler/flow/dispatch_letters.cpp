// SPDX-License-Identifier: LGPL-2.1-or-later
// Which devices the letters stand for, and what becomes of them when one fails.
#include <algorithm>

#include "scheduler/flow/dispatch.h"

namespace tandem {

// Its lanes go away; with the last device of a letter its stages become 'c'.
void Dispatch::lose(int device) {
  devices_[device].failed = true;
  drivers_changed();
  wakes_ |= kSides;
  device_usable_ = usable_devices() > 0;
  for (Letters* letters : {&letters_, &pending_letters_}) {
    const int letter = letters->of[device];
    bool others = false;
    for (int d = 0; d < letters->devices; ++d)
      others = others || (letters->of[d] == letter && !devices_[d].failed);
    if (letter >= 0 && !others) letters->capable[letter] = 0;
  }
  current_.mapping = resolved(current_.mapping, letters_);
  pending_.mapping = resolved(pending_.mapping, pending_letters_);
  offer_lane();
}

int Dispatch::usable_devices(int kind) const {
  int usable = 0;
  for (int d = 0; d < letters_.devices; ++d)
    if (!devices_[d].failed && (kind == kNone || kinds_[d] == kind)) ++usable;
  return device_usable_ ? usable : 0;
}

// Kinds that have lost all devices have no letter.
Letters Dispatch::letters_of(const Devices& devices) const {
  Letters letters;
  letters.devices = devices.count;
  letters.of.fill(kNone);
  int next = 0;
  for (int kind = 0; kind < kMaxLetters && device_usable_; ++kind) {
    bool any = false;
    for (int d = 0; d < devices.count; ++d)
      any = any || (devices.kind[d] == kind && !devices_[d].failed);
    if (!any) continue;
    for (int d = 0; d < devices.count; ++d)
      if (devices.kind[d] == kind) letters.of[d] = static_cast<int8_t>(next);
    letters.capable[next++] = devices.capable[kind];
  }
  return letters;
}

// Of a letter without a device that can compute the stage: the cores, or what else can.
Side Dispatch::side_of(const Mapping& mapping, int stage, const Letters& letters) const {
  const auto can = [&](int letter) { return (letters.capable[letter] >> stage & 1) != 0; };
  const Side side = mapping.side(stage);
  if (side == Side::c ? stages_[stage].has_cpu : can(letter_of(side))) return side;
  for (int letter = 0; letter < kMaxLetters && !stages_[stage].has_cpu; ++letter)
    if (can(letter)) return side_of_letter(letter);
  return Side::c;
}

Mapping Dispatch::resolved(const Mapping& mapping, const Letters& letters) const {
  Mapping made = mapping;
  for (int k = 0; k < mapping.stages; ++k) made.set(k, side_of(mapping, k, letters));
  return made;
}

Side Dispatch::side(const Entry& entry, int position) const {
  return side_of(entry.mapping, entry.way.stage(position), letters_);
}

int Dispatch::kind_of(Side side) const {
  for (int d = 0; d < letters_.devices && side != Side::c; ++d)
    if (letters_.of[d] == letter_of(side)) return kinds_[d];
  return 0;
}

int Dispatch::devices_in_use() const {
  if (current_.mapping.device_stages() == 0) return 0;
  const uint32_t letters = current_.mapping.letters();
  int used = 0;
  for (int d = 0; d < letters_.devices; ++d)
    if (letters_.of[d] >= 0 && (letters >> letters_.of[d] & 1) != 0) ++used;
  return used;
}

}  // namespace tandem
