// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/decision.h"

#include <cstdio>

#include "pipelines/tandem/elements.h"

namespace tandem {
namespace {

std::string text_of(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "412.0 frames/s, 0.021 J a frame, 5.2 ms", what is known of it.
std::string rate_text(const GstStructure* structure, const char* fps, const char* energy,
                      const char* latency) {
  std::string text;
  const auto add = [&](const char* field, const char* format) {
    const auto value = read_double(structure, field);
    if (value) text += (text.empty() ? "" : ", ") + text_of(format, *value);
  };
  add(fps, "%.1f frames/s");
  add(energy, "%.4g J a frame");
  add(latency, "%.3g ms");
  return text;
}

// Of what ran, before anything is chosen.
std::string best_text(const GstStructure* decision) {
  const GValue* ranking = gst_structure_get_value(decision, "ranking");
  if (!ranking || gst_value_array_get_size(ranking) == 0) return {};
  const GstStructure* best = gst_value_get_structure(gst_value_array_get_value(ranking, 0));
  const gchar* configuration = gst_structure_get_string(best, "configuration");
  const std::string rate = rate_text(best, "fps", "energy", "latency");
  if (!configuration || rate.empty()) return {};
  return std::string("; ") + configuration + " did best so far, " + rate;
}

bool is_set(const GstStructure* structure, const char* field) {
  gboolean value = FALSE;
  return gst_structure_get_boolean(structure, field, &value) && value;
}

}  // namespace

std::string decision_text(const GstStructure* d) {
  if (!d || !gst_structure_has_name(d, "tandem-decision")) return {};
  const std::string before = gst_structure_get_string(d, "old"),
                    after = gst_structure_get_string(d, "new");
  const std::string reason = gst_structure_get_string(d, "reason");
  const bool too_short = reason == "too-short";
  std::string text = reason + ": ";
  if (too_short) text += "the video ended before training did";
  if (before != after) {
    text += (too_short ? "; " : "") + before + " -> " + after;
  } else {
    // What ran before the training is not what ran in it.
    text += too_short ? ", so that nothing was chosen" : "stays with " + after;
  }
  if (too_short) text += best_text(d);
  if (const std::string expected =
          rate_text(d, "predicted-fps", "predicted-energy", "predicted-latency");
      !expected.empty())
    text += ", " + expected + " expected";
  if (const std::string had = rate_text(d, "measured-fps", "measured-energy", "measured-latency");
      !had.empty())
    text += " (" + before + " had " + had + ")";
  int frames = 0;
  gst_structure_get_int(d, "training-frames", &frames);
  if (frames > 0) {
    text += text_of("; trained %.2f s", read_double(d, "training-seconds").value_or(0)) + " on " +
            std::to_string(frames) + " frames";
  }
  if (is_set(d, "energy-unknown")) text += "; energy is unknown, took throughput";
  if (is_set(d, "budget-exceeded")) {
    text += "; nothing stays within the power budget";
  } else if (is_set(d, "latency-missed")) {
    text += "; nothing keeps the target latency";
  } else if (is_set(d, "target-missed")) {
    text += "; nothing reaches the target";
  }
  if (reason == "waits") text += "; another bin of this process trains";
  return text;
}

std::string training_text(const GstStructure* d) {
  if (!d || !gst_structure_has_name(d, "tandem-decision")) return {};
  const GValue* list = gst_structure_get_value(d, "training-spent");
  const guint parts = list ? gst_value_array_get_size(list) : 0;
  std::string text;
  for (guint i = 0; i < parts; ++i) {
    const GValue* entry = gst_value_array_get_value(list, i);
    const GstStructure* part = gst_value_get_structure(entry);
    int runs = 0, frames = 0;
    gst_structure_get_int(part, "runs", &runs);
    gst_structure_get_int(part, "frames", &frames);
    char line[128];
    g_snprintf(line, sizeof line, "\n  %-20s %5d %8d %8.3f", gst_structure_get_string(part, "on"),
               runs, frames, read_double(part, "seconds").value_or(0));
    text += line;
  }
  return text.empty() ? text : "  trained on            runs   frames  seconds" + text;
}

}  // namespace tandem
