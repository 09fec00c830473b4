// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/smallframes.h"

namespace tandem {
namespace {

std::string text_of(Sides sides) {
  return std::to_string(sides.width) + "x" + std::to_string(sides.height);
}

}  // namespace

std::string too_small_notice(const std::string& nothing, Sides frame, Sides needed,
                             const std::string& setting) {
  return nothing + " in frames of " + text_of(frame) + ": at least " + text_of(needed) +
         " pixels are needed. Put videoscale before the stages" +
         (setting.empty() ? "" : ", or set " + setting) + ".";
}

}  // namespace tandem
