// SPDX-License-Identifier: LGPL-2.1-or-later
// What tandembin's properties leave open, as the controller sees it.
#include <optional>
#include <stdexcept>

#include "files/parse_number.h"
#include "gst/bin/settings.h"

namespace tandem {
namespace {

// The CPU's share in percent; 0: no frame is split; none: auto.
std::optional<int> read_share(const std::string& text) {
  if (text == "auto" || text == "0") return std::nullopt;
  if (text == "off") return 0;
  const int percent = parse_number<int>(text).value_or(0);
  if (percent < 1 || percent > 99) {
    throw std::runtime_error("split=" + text +
                             " is out of range: 1 to 99 percent of the rows for the CPU, auto or "
                             "off");
  }
  return percent;
}

}  // namespace

AdaptRules adapt_rules(const BinSettings& settings, int stages, int cores) {
  AdaptRules rules;
  rules.on_caps = (settings.adapt & BinSettings::kCaps) != 0;
  rules.on_drift = (settings.adapt & BinSettings::kDrift) != 0;
  rules.max_overhead = settings.max_overhead;
  if (settings.mapping != "auto") {
    const std::string problem =
        parse_mapping(settings.mapping, stages, rules.allowed.mapping.emplace(), kMaxLetters, ~0u);
    if (!problem.empty()) throw std::runtime_error(problem);
  }
  if (settings.threads > cores + 1) {
    throw std::runtime_error("threads=" + std::to_string(settings.threads) +
                             " is out of range: 1 to " + std::to_string(cores + 1) +
                             " (cores + 1), or 0 for auto");
  }
  if (settings.lanes > 0) rules.allowed.lanes = settings.lanes;
  if (settings.tasks > 0) rules.allowed.tasks = settings.tasks;
  rules.allowed.cpu_share = read_share(settings.split);
  if (settings.granularity >= BinSettings::kMedium) {
    rules.allowed.granularity = Granularity::medium;  // which has no threads to choose
    rules.allowed.frames_at_once = 1 << (settings.granularity - BinSettings::kMedium);
    if (rules.allowed.frames_at_once > cores) {
      throw std::runtime_error("granularity=mg" + std::to_string(rules.allowed.frames_at_once) +
                               " needs as many cores, and there are " + std::to_string(cores));
    }
  } else {
    if (settings.granularity == BinSettings::kCoarse)
      rules.allowed.granularity = Granularity::coarse;
    if (settings.threads > 0) rules.allowed.threads = settings.threads;
  }
  if (const std::string problem = rules.allowed.contradiction(); !problem.empty())
    throw std::runtime_error(problem);
  return rules;
}

}  // namespace tandem
