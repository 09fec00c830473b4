// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/configuration.h"

namespace tandem {
namespace {

constexpr std::string_view kSideLetters = "cghis";

// "g (device) and c (CPU)", "g, h (devices) and c (CPU)"
std::string known_letters(int letters) {
  std::string text = "g";
  for (int d = 2; d <= letters; ++d) text += std::string(", ") + kSideLetters[d];
  return text + (letters > 1 ? " (devices)" : " (device)") + " and c (CPU)";
}

// The mapping after this one in the order of numbers whose digits are the sides, first stage last.
bool next_mapping(Mapping& mapping, int letters) {
  for (int k = 0; k < mapping.stages; ++k) {
    const int side = static_cast<int>(mapping.side(k));
    mapping.set(k, side < letters ? static_cast<Side>(side + 1) : Side::c);
    if (side < letters) return true;
  }
  return false;
}

// Adds medium grain with each number of frames at a time, of which each needs a core.
// Coupled mappings have one: the rate of several of their frames is unknown before they run.
void add_medium(Configuration configuration, bool several, std::vector<Configuration>& all) {
  const Mapping& mapping = configuration.mapping;
  if (mapping.any_device() && !mapping.decoupled()) several = false;
  for (const int frames : kFramesAtOnce) {
    if (frames > 1 && (!several || frames > configuration.threads - 1)) break;
    configuration.frames_at_once = frames;
    all.push_back(configuration);
  }
}

}  // namespace

uint32_t Mapping::device_stages() const {
  uint32_t bits = 0;
  for (int k = 0; k < stages; ++k) bits |= on_device(k) ? 1u << k : 0;
  return bits;
}

uint32_t Mapping::split_stages() const {
  uint32_t bits = 0;
  for (int k = 0; k < stages; ++k) bits |= split(k) ? 1u << k : 0;
  return bits;
}

Mapping Mapping::within(uint32_t capable) const {
  Mapping kept = *this;
  for (int k = 0; k < stages; ++k)
    if ((capable >> k & 1) == 0) kept.set(k, Side::c);
  return kept;
}

Mapping Mapping::with(uint32_t on_device) const {
  Mapping more = *this;
  for (int k = 0; k < stages; ++k)
    if ((on_device >> k & 1) != 0 && side(k) == Side::c) more.set(k, Side::g);
  return more;
}

std::string parse_mapping(std::string_view text, int stages, Mapping& mapping, int letters,
                          uint32_t can_split) {
  if (static_cast<int>(text.size()) != stages) {
    return "mapping '" + std::string(text) + "' has " + std::to_string(text.size()) +
           " letters, but there are " + std::to_string(stages) +
           " stages: write one letter a stage, g (device) or c (CPU)";
  }
  Mapping parsed{0, stages};
  for (int k = 0; k < stages; ++k) {
    if (text[k] == 's') {
      if ((can_split >> k & 1) == 0) {
        return "mapping '" + std::string(text) + "' has s for stage " + std::to_string(k + 1) +
               ", which cannot be split between the CPU and a device";
      }
      parsed.set(k, Side::s);
      continue;
    }
    const std::size_t side = kSideLetters.substr(0, 1 + letters).find(text[k]);
    if (side == kSideLetters.npos) {
      return "mapping '" + std::string(text) + "' has the letter '" + text[k] + "': only " +
             known_letters(letters) + " are known";
    }
    parsed.set(k, static_cast<Side>(side));
  }
  mapping = parsed;
  return {};
}

std::string to_string(const Mapping& mapping) {
  std::string text;
  for (int k = 0; k < mapping.stages; ++k)
    text += kSideLetters[static_cast<std::size_t>(mapping.side(k))];
  return text;
}

std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes, int letters,
                                              uint32_t device_only, uint32_t can_split,
                                              std::span<const int> cpu_shares) {
  std::vector<Configuration> all;
  Mapping mapping{0, stages};
  do {
    if (mapping != mapping.within(device_capable).with(device_only)) continue;
    for (const int s : mapping.any_device() ? lanes : std::span<const int>(kOneLane)) {
      for (int n = 1; n <= cores + 1; ++n) all.push_back({mapping, Granularity::coarse, n, s});
      add_medium({mapping, Granularity::medium, cores + 1, s}, can_split != 0, all);
    }
  } while (next_mapping(mapping, letters));
  if (can_split == 0) return all;
  mapping = Mapping{0, stages};
  do {
    // Once for each mapping of the stages that are not split.
    if (mapping != mapping.within(device_capable & ~can_split).with(device_only)) continue;
    Mapping with_split = mapping;
    for (int k = 0; k < stages; ++k)
      if ((can_split >> k & 1) != 0) with_split.set(k, Side::s);
    for (const int share : cpu_shares)
      all.push_back({with_split, Granularity::medium, cores + 1, 1, 1, share});
  } while (next_mapping(mapping, letters));
  return all;
}

}  // namespace tandem
