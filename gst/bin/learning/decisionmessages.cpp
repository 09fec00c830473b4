// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/decisionmessages.h"

#include "gst/bin/structures.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {

void DecisionMessages::post(const Decision& d, const std::string& missing_energy) {
  GST_INFO_OBJECT(
      bin_, "%s: %s -> %s, predicted %.1f fps, %.4g J a frame; trained %.3f s, %d frames",
      to_string(d.reason), to_string(d.before).c_str(), to_string(d.after).c_str(),
      d.predicted.throughput_fps, d.predicted.energy_j, d.training_s, d.training_frames);
  for (int i = 0; i < d.choice.count; ++i) {
    const Candidate& candidate = d.choice.ranked[i];
    GST_LOG_OBJECT(bin_, "%d. %-12s %10.2f fps %10.4g J a frame", i + 1,
                   to_string(candidate.configuration).c_str(), candidate.prediction.throughput_fps,
                   candidate.prediction.energy_j);
  }
  gst_element_post_message(bin_,
                           gst_message_new_element(GST_OBJECT_CAST(bin_), decision_structure(d)));
  warn(d, missing_energy);
}

void DecisionMessages::warn(const Decision& d, const std::string& missing_energy) {
  const auto first_time = [](bool happened, std::atomic<bool>& warned) {
    return happened && !warned.exchange(true);
  };
  if (first_time(d.choice.energy_unknown, warned_energy_)) {
    GST_ELEMENT_WARNING(
        bin_, RESOURCE, NOT_FOUND,
        ("The objective needs energy, but there is no measurement of it: the bin maximises "
         "throughput instead. `tandem doctor` lists ways to get an energy source."),
        ("%s",
         missing_energy.empty() ? "the energy meter returned no values" : missing_energy.c_str()));
  }
  if (first_time(d.choice.budget_exceeded, warned_budget_)) {
    GST_ELEMENT_WARNING(
        bin_, STREAM, FAILED,
        ("No configuration stays within power-budget: the bin runs %s, which needs the "
         "least power.",
         to_string(d.after).c_str()),
        ("predicted: %.1f W", d.predicted.power_w));
  } else if (first_time(d.choice.latency_missed, warned_late_)) {
    GST_ELEMENT_WARNING(
        bin_, STREAM, FAILED,
        ("No configuration meets target-latency: the bin runs %s, which has the lowest "
         "latency, %.3g ms.",
         to_string(d.after).c_str(), 1e3 * d.predicted.latency_s),
        ("predicted 95th percentile"));
  } else if (first_time(d.choice.target_missed, warned_target_)) {
    GST_ELEMENT_WARNING(
        bin_, STREAM, FAILED,
        ("No configuration reaches target-fps: the bin runs %s, which is the fastest with "
         "a predicted %.1f frames/s.",
         to_string(d.after).c_str(), d.predicted.throughput_fps),
        (nullptr));
  }
}

}  // namespace tandem::bin
