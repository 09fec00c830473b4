// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

Known known_of(const Conditions& conditions, const Learnt& learnt, int64_t trained_s) {
  const bool chosen = learnt.chosen.configuration.mapping.stages > 0;
  return {conditions,       learnt.facts,   chosen ? std::optional(learnt.chosen) : std::nullopt,
          learnt.objective, learnt.allowed, trained_s};
}

Learnt learnt_of(const Known& known) {
  Learnt learnt;
  learnt.facts = known.facts;
  learnt.findings = interpret(known.facts.observations, known.facts.chain);
  learnt.chosen = known.chosen.value_or(Candidate{});
  learnt.objective = known.objective;
  learnt.allowed = known.allowed;
  learnt.origin = Learnt::Origin::file;
  learnt.verified = false;
  return learnt;
}

}  // namespace tandem
