// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/run/activity.h"

#include "pipelines/tandem/run/in_words.h"

namespace tandem {

namespace {

std::string what_runs(const BinStats& stats, bool verbose) {
  const std::string words = in_words(stats.configuration);
  return verbose ? words + " [" + stats.configuration + "]" : words;
}

}  // namespace

std::string Activity::text(const BinStats& stats, double seconds) {
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

std::string activity_summary(const BinStats& stats, bool verbose) {
  if (!stats.training) return "ran " + what_runs(stats, verbose);
  return "still learning at the end, last " + what_runs(stats, verbose);
}

}  // namespace tandem
