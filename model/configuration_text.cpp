// SPDX-License-Identifier: LGPL-2.1-or-later
// The names of configurations.
#include <algorithm>
#include <charconv>

#include "model/configuration.h"

namespace tandem {
namespace {

// A number behind `prefix` without leading zeros, 1 to `most`; else 0.
int read_number(std::string_view part, std::string_view prefix, int most) {
  int value = 0;
  if (!part.starts_with(prefix) || part.substr(prefix.size()).starts_with('0')) return 0;
  const char* end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data() + prefix.size(), end, value);
  return error == std::errc() && stop == end && value <= most ? value : 0;
}

std::string quoted(std::string_view text) {
  std::string quote(1, '\'');
  return quote.append(text).append(quote, 0, 1);
}

std::string what_split_needs(std::string_view text, const Configuration& parsed) {
  const std::string name = quoted(text) + " splits stages";
  if (parsed.granularity != Granularity::medium) return name + ", which needs medium grain, mg";
  return name + " between the CPU and a device: end with /aP, P percent of the rows for the CPU, " +
         "1 to 99";
}

}  // namespace

std::string to_string(const Configuration& configuration) {
  const Mapping& mapping = configuration.mapping;
  std::string text = to_string(mapping);
  if (configuration.granularity == Granularity::coarse) {
    text += "/cg" + std::to_string(configuration.threads);
  } else {
    text += "/mg";
    if (configuration.frames_at_once > 1) text += std::to_string(configuration.frames_at_once);
  }
  if (mapping.any_device() && configuration.lanes > 1)
    text += "/q" + std::to_string(configuration.lanes);
  if (mapping.any_device() && configuration.tasks > 1)
    text += "/t" + std::to_string(configuration.tasks);
  return mapping.any_split() ? text + "/a" + std::to_string(configuration.cpu_share) : text;
}

std::string parse_configuration(std::string_view text, int stages, int cores,
                                Configuration& configuration, uint32_t can_split) {
  // Takes the text before the next slash.
  std::string_view rest = text;
  const auto take = [&rest] {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(std::min(slash + 1, rest.size()));
    return part;
  };
  Configuration parsed;
  std::string problem = parse_mapping(take(), stages, parsed.mapping, kMaxLetters, can_split);
  if (!problem.empty()) return problem;
  const std::string_view grain = take();
  parsed.granularity = grain.starts_with("mg") ? Granularity::medium : Granularity::coarse;
  if (parsed.granularity == Granularity::medium) {
    parsed.threads = cores + 1;
    if (grain != "mg") parsed.frames_at_once = read_number(grain, "mg", cores);
  } else {
    parsed.threads = read_number(grain, "cg", cores + 1);
  }
  std::string_view part = take();
  if (part.starts_with('q')) {
    parsed.lanes = read_number(part, "q", kMaxLanes);
    part = take();
  }
  if (part.starts_with('t')) {
    parsed.tasks = read_number(part, "t", kMaxTasks);
    part = take();
  }
  if (part.starts_with('a')) parsed.cpu_share = read_number(part, "a", 99);
  if (parsed.mapping.any_split() &&
      (parsed.granularity != Granularity::medium || parsed.cpu_share < 1))
    return what_split_needs(text, parsed);
  const bool right = parsed.threads >= 1 && parsed.lanes >= 1 && parsed.tasks >= 1 &&
                     std::ranges::count(kFramesAtOnce, parsed.frames_at_once) == 1;
  if (!right || to_string(parsed) != text) {
    return quoted(text) + " is not a configuration: write MAPPING/cgN with N up to " +
           std::to_string(cores + 1) +
           ", MAPPING/mg, or MAPPING/mgF for F = 2 or 4 frames at a time over as many cores at " +
           "least, then /qS for S lanes where there are several, then /tT for T bands of a frame "
           "where there are several, then /aP where stages are split";
  }
  configuration = parsed;
  return {};
}

}  // namespace tandem
