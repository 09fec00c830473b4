// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/evaluation_page.h"

#include <algorithm>
#include <cstdio>

namespace tandem::streams {
namespace {

constexpr double kAsGood = 0.005;  // shares of the best that are as good as equal

}  // namespace

std::string verdict_on_constant(const Evaluation& found) {
  const auto constant =
      std::ranges::find(found.methods, "best constant", &Evaluation::OfMethod::name);
  const double model = found.methods.front().share;
  char text[200];
  std::snprintf(text, sizeof text,
                constant->share + kAsGood >= model
                    ? "One setting for all programs does as well as the model: %.1f%% of the best, "
                      "the model %.1f%%."
                    : "One setting for all programs reaches %.1f%% of the best, the model %.1f%%.",
                100 * constant->share, 100 * model);
  return text;
}

std::string evaluation_page(const SampleTable& table, const Evaluation& found) {
  return table.device + verdict_on_constant(found);
}

}  // namespace tandem::streams
