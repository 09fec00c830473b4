// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/activity.h"

namespace tandem {

std::string Activity::text(const BinStats& stats, double seconds) {
  if (!stats.training) {
    training_ = 0;
    return stats.configuration;
  }
  if (training_ != stats.trainings) since_s_ = seconds;
  training_ = stats.trainings;
  std::string step;
  if (stats.experiment > 0) step = ", experiment " + std::to_string(stats.experiment);
  if (stats.trial > 0) step = ", trial " + std::to_string(stats.trial);
  return "training " + std::to_string(static_cast<int>(seconds - since_s_)) + " s" + step + ": " +
         stats.configuration;
}

std::string activity_summary(const BinStats& stats) {
  if (!stats.training) return "ran as " + stats.configuration;
  return "was training until the end, with " + stats.configuration + " last";
}

}  // namespace tandem
