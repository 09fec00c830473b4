// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/configuration.h"

#include <algorithm>
#include <charconv>

namespace tandem {
namespace {

constexpr std::string_view kSideLetters = "cghi";

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

}  // namespace

uint32_t Mapping::device_stages() const {
  uint32_t bits = 0;
  for (int k = 0; k < stages; ++k) bits |= on_device(k) ? 1u << k : 0;
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

std::string parse_mapping(std::string_view text, int stages, Mapping& mapping, int letters) {
  if (static_cast<int>(text.size()) != stages) {
    return "mapping '" + std::string(text) + "' has " + std::to_string(text.size()) +
           " letters, but there are " + std::to_string(stages) +
           " stages: write one letter a stage, g (device) or c (CPU)";
  }
  Mapping parsed{0, stages};
  for (int k = 0; k < stages; ++k) {
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

std::string to_string(const Configuration& configuration) {
  std::string text = to_string(configuration.mapping);
  text += configuration.granularity == Granularity::medium
              ? "/mg"
              : "/cg" + std::to_string(configuration.threads);
  const bool several = configuration.mapping.any_device() && configuration.lanes > 1;
  return several ? text + "/q" + std::to_string(configuration.lanes) : text;
}

std::string parse_configuration(std::string_view text, int stages, int cores,
                                Configuration& configuration) {
  // Takes what is before the next slash.
  std::string_view rest = text;
  const auto take = [&rest] {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    return part;
  };
  // A number behind `prefix` without leading zeros.
  const auto read = [](std::string_view part, std::string_view prefix, int most) {
    int value = 0;
    if (!part.starts_with(prefix) || part.substr(prefix.size()).starts_with('0')) return 0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data() + prefix.size(), end, value);
    return error == std::errc() && stop == end && value <= most ? value : 0;
  };
  Configuration parsed;
  std::string problem = parse_mapping(take(), stages, parsed.mapping, kMaxLetters);
  if (!problem.empty()) return problem;
  const std::string_view grain = take();
  parsed.granularity = grain == "mg" ? Granularity::medium : Granularity::coarse;
  parsed.threads = grain == "mg" ? cores + 1 : read(grain, "cg", cores + 1);
  const std::string_view lanes = take();
  if (!lanes.empty()) parsed.lanes = read(lanes, "q", kMaxLanes);
  if (parsed.threads < 1 || parsed.lanes < 1 || to_string(parsed) != text) {
    return "'" + std::string(text) +
           "' is no configuration: write MAPPING/cgN or MAPPING/mg with " + "N up to " +
           std::to_string(cores + 1) + ", then /qS for S lanes where there are several";
  }
  configuration = parsed;
  return {};
}

bool Allowed::operator()(const Configuration& configuration) const {
  if ((device_only & ~configuration.mapping.device_stages()) != 0) return false;
  if (mapping && configuration.mapping != *mapping) return false;
  if (granularity && configuration.granularity != *granularity) return false;
  if (lanes && configuration.mapping.any_device() && configuration.lanes != *lanes) return false;
  if (!lanes && most_lanes > 0 && configuration.lanes > most_lanes) return false;
  if (!threads && most_cores > 0) {
    if (configuration.granularity == Granularity::medium) return granularity.has_value();
    return configuration.threads <= most_cores + (configuration.mapping.any_device() ? 1 : 0);
  }
  return !threads ||
         (configuration.granularity == Granularity::coarse && configuration.threads == *threads);
}

bool Allowed::fixed() const { return mapping && (threads || granularity == Granularity::medium); }

Configuration Allowed::fallback(int stages, int cores) const {
  Configuration configuration{mapping.value_or(Mapping{device_only, stages}),
                              granularity.value_or(Granularity::coarse), 0};
  // The thread that waits for the device needs no core.
  const int used = most_cores > 0 ? std::min(cores, most_cores) : cores;
  configuration.threads = threads.value_or(used + (configuration.mapping.any_device() ? 1 : 0));
  configuration.lanes = lanes.value_or(1);
  return configuration;
}

std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes, int letters,
                                              uint32_t device_only) {
  std::vector<Configuration> all;
  Mapping mapping{0, stages};
  do {
    if (mapping != mapping.within(device_capable).with(device_only)) continue;
    for (const int s : mapping.any_device() ? lanes : std::span<const int>(kOneLane)) {
      for (int n = 1; n <= cores + 1; ++n) all.push_back({mapping, Granularity::coarse, n, s});
      all.push_back({mapping, Granularity::medium, cores + 1, s});
    }
  } while (next_mapping(mapping, letters));
  return all;
}

}  // namespace tandem
