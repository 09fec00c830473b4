// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/repeat.h"

#include <gst/tandem/private/stageadapter.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tandem {
namespace {

StageAdapter& adapter(GstTandemStage* stage) { return adapter_of(stage); }

// The stage that the one at `last` repeats from; -1 when it is not there.
int find_first(const std::vector<GstTandemStage*>& stages, int last) {
  const std::string wanted = adapter(stages[last]).description().repeats_from;
  int first = last;
  while (first >= 0 && adapter(stages[first]).name() != wanted) --first;
  return first;
}

int rounds_of(GstTandemStage* stage) { return adapter(stage).settings()->rounds; }

}  // namespace

ChainRepeat::ChainRepeat(const std::vector<GstTandemStage*>& stages) {
  int asked = 0;
  for (int last = 0; last < static_cast<int>(stages.size()); ++last) {
    GstTandemStage* stage = stages[last];
    const StageDescription& description = adapter(stage).description();
    if (!description.repeats_from) continue;
    const int rounds = rounds_of(stage);
    const std::string problem = adapter(stage).name() + " is set to send frames " +
                                std::to_string(rounds) + " times through the stages from " +
                                description.repeats_from + " on";
    const int first = find_first(stages, last);
    const bool serial = first >= 0 && std::any_of(&stages[first], &stages[last], [](auto* between) {
                          return adapter(between).serial();
                        });
    if (rounds > 1 && first < 0)
      throw std::runtime_error(problem + ", which is not before it in this tandembin.");
    if (rounds > 1 && serial)
      throw std::runtime_error(problem + ", but there is a stage that must see each frame once.");
    if (rounds > 1 && ++asked > 1)
      throw std::runtime_error(problem +
                               ", and tandembin repeats one part of a chain only: set the other "
                               "one to 1.");
    if (first >= 0 && !serial) parts_.push_back({stage, {first, last, 1}});
  }
}

Repeat ChainRepeat::now() const {
  for (const Part& part : parts_) {
    const int rounds = rounds_of(part.stage);
    if (rounds > 1) return {part.repeat.first, part.repeat.last, rounds};
  }
  return {};
}

}  // namespace tandem
