// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/decision.h"

namespace tandem {

const char* to_string(Reason reason) {
  switch (reason) {
    case Reason::caps:
      return "caps";
    case Reason::remembered:
      return "remembered";
    case Reason::derived:
      return "derived";
    case Reason::drift:
      return "drift";
    case Reason::asked:
      return "asked";
    case Reason::objective:
      return "objective";
    case Reason::rules:
      return "rules";
    case Reason::device_failed:
      return "device-failed";
    case Reason::not_allowed:
      return "not-allowed";
    case Reason::too_short:
      return "too-short";
    case Reason::waits:
      return "waits";
    case Reason::balanced:
      return "balanced";
    case Reason::neighbours:
      return "neighbours";
  }
  return "";
}

}  // namespace tandem
