// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/configuration_text.h"

#include <algorithm>
#include <vector>

#include "model/configuration.h"

namespace tandem {
namespace {

// More cores than a machine has, so that the number of threads is not what makes a text wrong.
constexpr int kAnyCores = 1 << 16;

// "1, 3-5" of bits 0, 2, 3 and 4.
std::string numbers_of(uint32_t stages) {
  std::string text;
  for (int first = 0; stages >> first != 0; ++first) {
    if ((stages >> first & 1) == 0) continue;
    int last = first;
    while ((stages >> (last + 1) & 1) != 0) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(first + 1);
    if (last > first) text += "-" + std::to_string(last + 1);
    first = last;
  }
  return text;
}

std::string side_words(Side side, bool several_letters) {
  if (side == Side::c) return "on the CPU";
  if (side == Side::s) return "on the CPU and the device together";
  if (!several_letters) return "on the device";
  return std::string("on device ") + (side == Side::g ? 'g' : side == Side::h ? 'h' : 'i');
}

std::string places(const Mapping& mapping) {
  // In the order in which stages come to them.
  std::vector<Side> sides;
  for (int k = 0; k < mapping.stages; ++k) {
    if (std::ranges::count(sides, mapping.side(k)) == 0) sides.push_back(mapping.side(k));
  }
  const bool letters = mapping.any_further_letter();
  if (sides.size() == 1) return side_words(sides.front(), letters);
  std::string text;
  for (const Side side : sides) {
    uint32_t stages = 0;
    for (int k = 0; k < mapping.stages; ++k) stages |= mapping.side(k) == side ? 1u << k : 0;
    text += (text.empty() ? "stage" : ", stage") +
            std::string((stages & (stages - 1)) ? "s " : " ") + numbers_of(stages) + " " +
            side_words(side, letters);
  }
  return text;
}

std::string threads_of(const Configuration& configuration) {
  if (configuration.granularity == Granularity::medium) {
    if (configuration.frames_at_once == 1) return "all cores on one frame";
    return std::to_string(configuration.frames_at_once) + " frames at a time over all cores";
  }
  return configuration.threads == 1 ? "1 thread"
                                    : std::to_string(configuration.threads) + " threads";
}

std::string details(const Configuration& c) {
  std::string text = threads_of(c);
  if (!c.mapping.any_device()) return text;
  if (c.lanes > 1) text += ", " + std::to_string(c.lanes) + " frames on the device at a time";
  if (c.tasks > 1) text += ", each in " + std::to_string(c.tasks) + " bands there";
  if (c.mapping.any_split())
    return text + ", the CPU computes " + std::to_string(c.cpu_share) + "% of the rows";
  // One thread waits for the device; the others compute what finds it busy.
  if (c.granularity == Granularity::medium || c.threads > 1)
    text += ", the CPU helps while the device is busy";
  return text;
}

std::string what_runs(const BinStats& stats, bool verbose) {
  const std::string words = configuration_text(stats.configuration);
  return verbose ? words + " [" + stats.configuration + "]" : words;
}

}  // namespace

std::string configuration_text(std::string_view text) {
  const std::size_t stages = text.find('/');
  Configuration configuration;
  if (stages == 0 || stages > kMaxStages ||
      !parse_configuration(text, static_cast<int>(stages), kAnyCores, configuration).empty())
    return std::string(text);
  return places(configuration.mapping) + " (" + details(configuration) + ")";
}

std::string StatusText::text(const BinStats& stats, double seconds) {
  if (!stats.training) {
    training_ = 0;
    return what_runs(stats, verbose_);
  }
  if (training_ != stats.trainings) since_s_ = seconds;
  training_ = stats.trainings;
  std::string step;
  if (stats.experiment > 0) step = ", experiment " + std::to_string(stats.experiment);
  if (stats.trial > 0) step = ", trial " + std::to_string(stats.trial);
  return "learning for " + std::to_string(static_cast<int>(seconds - since_s_)) + " s" + step +
         ": " + what_runs(stats, verbose_);
}

std::string status_summary(const BinStats& stats, bool verbose) {
  if (!stats.training) return "ran " + what_runs(stats, verbose);
  return "still learning at the end, last " + what_runs(stats, verbose);
}

}  // namespace tandem
