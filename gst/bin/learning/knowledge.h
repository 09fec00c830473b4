// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "scheduler/learn/keep/keeper.h"

namespace tandem::bin {

/// Measurements of earlier processes.
struct KeptKnowledge {
  std::shared_ptr<KnowledgeKeeper> keeper;  ///< null: none is kept
  bool adds = false;                        ///< this process adds its own
};

/// Opens the store that `setting`, the value of the property `knowledge`, names.
///
/// | setting | store |
/// | --- | --- |
/// | auto | the value of $TANDEM_KNOWLEDGE, else a folder in the user's cache |
/// | read-only | as auto, without adding |
/// | off | none |
/// | other | this folder |
KeptKnowledge open_knowledge(const std::string& setting);

}  // namespace tandem::bin
