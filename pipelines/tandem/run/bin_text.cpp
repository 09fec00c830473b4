// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/bin_text.h"

#include <algorithm>
#include <vector>

#include "model/configuration.h"
#include "pipelines/formatted.h"

namespace tandem {
namespace {

// More cores than a machine has, so that the number of threads is not what makes a text wrong.
constexpr int kAnyCores = 1 << 16;

// The numbers of the stages whose bits are set, counted from 1, such as "1, 3-5".
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

bool is_decision(const GstStructure* structure) {
  return structure && gst_structure_has_name(structure, "tandem-decision");
}

// "412.0 frames/s, 0.021 J a frame, 5.2 ms", what is known of it: fields that `prefix` begins, such
// as "predicted-fps". "412.0 instead of 20.1 frames/s" where `before` has the field, without
// prefix.
std::string rate_text(const GstStructure* structure, const std::string& prefix,
                      const GstStructure* before = nullptr) {
  std::string text;
  const auto add = [&](const char* field, const char* format, const char* unit) {
    const auto value = read_double(structure, (prefix + field).c_str());
    if (!value) return;
    text += (text.empty() ? "" : ", ") + formatted(format, *value);
    if (const auto had = before ? read_double(before, field) : std::nullopt)
      text += " instead of " + formatted(format, *had);
    text += unit;
  };
  add("fps", "%.1f", " frames/s");
  add("energy", "%.4g", " J a frame");
  add("latency", "%.3g", " ms");
  return text;
}

// The prediction for the configuration that ran before; null where unknown. `measured-fps` may
// belong to frames of another size, and is not compared.
const GstStructure* expected_before(const GstStructure* decision) {
  const std::string before = read_string(decision, "old");
  if (before == read_string(decision, "new")) return nullptr;
  for (const GstStructure* entry : read_structures(decision, "ranking")) {
    if (read_string(entry, "configuration") == before) return entry;
  }
  return nullptr;
}

// "learned in 0.31 s on 64 frames", where something was.
std::string learned_text(const GstStructure* decision) {
  int frames = 0;
  gst_structure_get_int(decision, "training-frames", &frames);
  if (frames == 0) return {};
  return formatted("learned in %.2f s", read_double(decision, "training-seconds").value_or(0)) +
         " on " + std::to_string(frames) + " frames";
}

// Why, for reasons after which something was chosen.
std::string why(const std::string& reason) {
  struct Sentence {
    const char *reason, *text;
  };
  constexpr Sentence kSentences[] = {
      {"caps", "such frames were never measured before"},
      {"remembered", "remembered from an earlier run"},
      {"derived", "derived from frames of other sizes"},
      {"drift", "the time of a frame has changed"},
      {"asked", "measured again on request"},
      {"objective", "the objective has changed"},
      {"rules", "the settings have changed"},
      {"device-failed", "the device has failed"},
      {"balanced", "one side of the split frames waited for the other"},
      {"neighbours", "other bins of this process need more or less of the machine"},
  };
  for (const Sentence& sentence : kSentences) {
    if (reason == sentence.reason) return sentence.text;
  }
  return reason;
}

std::string missed_text(const GstStructure* d) {
  std::string text;
  if (read_flag(d, "energy-unknown")) text += "; energy is unknown: chosen by throughput";
  if (read_flag(d, "budget-exceeded")) {
    text += "; no configuration stays within the power budget";
  } else if (read_flag(d, "latency-missed")) {
    text += "; no configuration meets the target latency";
  } else if (read_flag(d, "target-missed")) {
    text += "; no configuration reaches the target rate";
  }
  return text;
}

// Training is due and has to wait.
std::string waiting_text(const GstStructure* d, double max_overhead) {
  const std::string runs = configuration_text(read_string(d, "new"));
  if (read_string(d, "reason") == "waits")
    return "still learning: " + runs + " until another bin of this process has measured";
  if (max_overhead == 0) return runs + ": max-overhead=0 allows no measurement";
  return "still learning: " + runs + " until the " + formatted("%g", 100 * max_overhead) +
         "% budget allows another measurement";
}

std::string too_short_text(const GstStructure* d) {
  int frames = 0;
  gst_structure_get_int(d, "training-frames", &frames);
  std::string text = "the video ended before the training did";
  if (frames > 0) {
    text += ", after " + std::to_string(frames) + " frames in " +
            formatted("%.2f s", read_double(d, "training-seconds").value_or(0));
  }
  text += ": nothing was chosen";
  const std::vector<const GstStructure*> ranking = read_structures(d, "ranking");
  const std::string rate = ranking.empty() ? "" : rate_text(ranking[0], "");
  if (rate.empty()) return text;
  return text + "; best so far: " + configuration_text(read_string(ranking[0], "configuration")) +
         ", " + rate;
}

std::string chosen_text(const GstStructure* d) {
  const std::string reason = read_string(d, "reason"), after = read_string(d, "new");
  const std::string learned = learned_text(d);
  const bool first = reason == "caps" && !learned.empty();  // learning is why
  std::string text = first ? learned : why(reason);
  text += (read_string(d, "old") == after ? ": still " : ": now ") + configuration_text(after);
  const std::string expected = rate_text(d, "predicted-", expected_before(d));
  if (!expected.empty()) text += ", " + expected + " expected";
  if (!first && !learned.empty()) text += "; " + learned;
  return text;
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

std::string decision_text(const GstStructure* d, double max_overhead) {
  if (!is_decision(d)) return {};
  const std::string reason = read_string(d, "reason");
  if (reason == "too-short") return too_short_text(d) + missed_text(d);
  if (reason == "waits" || reason == "not-allowed")
    return waiting_text(d, max_overhead) + missed_text(d);
  return chosen_text(d) + missed_text(d);
}

std::string short_text(const GstStructure* d) {
  if (!is_decision(d)) return {};
  const std::string before = read_string(d, "old"), after = read_string(d, "new");
  std::string text = read_string(d, "reason") + ": " + before;
  if (before != after) text += " -> " + after;
  if (const std::string had = rate_text(d, "measured-"); !had.empty())
    text += " (" + before + " had " + had + ")";
  if (const auto loss = read_double(d, "expected-loss"))
    text += ", expected loss " + formatted("%.1f%%", 100 * *loss);
  return text;
}

std::string trials_text(const GstStructure* d) {
  if (!is_decision(d)) return {};
  std::string text;
  for (const GstStructure* trial : read_structures(d, "trials")) {
    text += (text.empty() ? "  " : "\n  ") + read_string(trial, "why");
    if (const auto fps = read_double(trial, "fps"))
      text += formatted("; measured %.1f frames/s", *fps);
  }
  return text;
}

std::string training_text(const GstStructure* d) {
  if (!is_decision(d)) return {};
  std::string text;
  for (const GstStructure* part : read_structures(d, "training-spent")) {
    int runs = 0, frames = 0;
    gst_structure_get_int(part, "runs", &runs);
    gst_structure_get_int(part, "frames", &frames);
    text += formatted("\n  %-20s %5d %8d %8.3f", gst_structure_get_string(part, "on"), runs, frames,
                      read_double(part, "seconds").value_or(0));
  }
  return text.empty() ? text : "  trained on            runs   frames  seconds" + text;
}

}  // namespace tandem
