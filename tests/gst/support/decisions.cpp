// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/decisions.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

constexpr gint64 kMostSeconds = 200;  // programs are compiled in it as well
constexpr int kFewFrames = 8;

}  // namespace

std::vector<Told> told(const Stream& stream) {
  std::vector<Told> all;
  for (const Message& message : stream.messages.all(GST_MESSAGE_ELEMENT)) {
    GstStructure* d = gst_structure_from_string(message.text.c_str(), nullptr);
    if (!d) continue;
    if (gst_structure_has_name(d, "tandem-decision")) {
      Told one{gst_structure_get_string(d, "reason"), gst_structure_get_string(d, "old"),
               gst_structure_get_string(d, "new")};
      gst_structure_get_int(d, "training-experiments", &one.experiments);
      gst_structure_get_double(d, "predicted-fps", &one.predicted_fps);
      gst_structure_get_int(d, "training-trials", &one.trials);
      double loss = 0;
      if (gst_structure_get_double(d, "expected-loss", &loss)) one.expected_loss = loss;
      const GValue* trials = gst_structure_get_value(d, "trials");
      for (guint i = 0; trials && i < gst_value_array_get_size(trials); ++i)
        one.why.emplace_back(gst_structure_get_string(
            gst_value_get_structure(gst_value_array_get_value(trials, i)), "why"));
      all.push_back(one);
    }
    gst_structure_free(d);
  }
  return all;
}

std::vector<Result> run_until(Stream& stream, const std::function<bool()>& done, int first) {
  std::vector<Result> got;
  // A training lasts for some time, in which a small frame passes ten thousand times.
  const gint64 end_us = g_get_monotonic_time() + kMostSeconds * G_USEC_PER_SEC;
  for (int next = first; !done() && g_get_monotonic_time() < end_us; next += kFewFrames) {
    stream.push(next, next + kFewFrames);
    for (Result& result : stream.pull(kFewFrames)) got.push_back(std::move(result));
  }
  return got;
}

std::vector<Result> run_until(Stream& stream, std::size_t count, int first) {
  std::vector<Result> got = run_until(
      stream, [&] { return told(stream).size() >= count; }, first);
  const int next = first + static_cast<int>(got.size());
  stream.push(next, next + kFewFrames);
  for (Result& result : stream.pull(kFewFrames)) got.push_back(std::move(result));
  EXPECT_GE(told(stream).size(), count) << "after " << next << " frames";
  return got;
}

}  // namespace tandem::test
