// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "scheduler/learn/keeper.h"

namespace tandem {

/// What the property `knowledge` says: where what earlier processes learnt is kept, and whether
/// this one adds to it.
struct BinKnowledge {
  std::shared_ptr<KnowledgeKeeper> keeper;  ///< null: nowhere
  bool adds = false;
};

/// `setting`: auto (what $TANDEM_KNOWLEDGE says, else the folder in the user's cache), read-only
/// (that folder, and nothing is added), off, or a folder.
BinKnowledge open_knowledge(const std::string& setting);

}  // namespace tandem
