// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/explain.h"

#include <cmath>
#include <cstdio>

namespace tandem {
namespace {

// Logarithms that are equal when printed, and those of errors that are too small to be a reason.
constexpr double kEqual = 5e-4, kSmall = 5e-3;

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "3.0% better" of a difference of logarithms.
std::string difference(double logarithm) {
  return number("%.1f%%", 100 * std::abs(std::expm1(logarithm))) +
         (logarithm > 0 ? " better" : " worse");
}

}  // namespace

std::string explain(const NextTrial& trial) {
  // The first of a training that has no experiment of whole frames.
  if (!(trial.uncertain > 0)) return "no configuration ran yet";
  std::string text = trial.best ? "the best so far"
                     : std::abs(trial.expected) < kEqual
                         ? "expected as good as the best so far"
                         : "expected " + difference(trial.expected) + " than the best so far";
  text += ", uncertain by " + number("%.1f%%", 100 * trial.uncertain);
  text += trial.costs_s > 0 ? "; gains " + number("%.2g s", trial.gain_s) + " of frames, costs " +
                                  number("%.2g s", trial.costs_s)
                            : std::string("; ") + kLookIsDue;
  if (trial.moved_by.mapping.stages > 0 && std::abs(trial.moved) >= kSmall)
    text += "; " + difference(trial.moved) + " than predicted, since " +
            (trial.moved_by == trial.configuration ? "it" : to_string(trial.moved_by)) + " ran";
  return text;
}

std::string explain(const Plan& plan) {
  const char* const what = plan.rest                              ? "rest with "
                           : plan.kind == Observation::Kind::look ? "look at "
                                                                  : "trial of ";
  return what + to_string(plan.configuration) + ": " + plan.why;
}

}  // namespace tandem
