// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "model/stream_model.h"
#include "scheduler/learn/keeper.h"

namespace tandem::bin {

/// What the property `knowledge` says: where what earlier processes learnt is kept, and whether
/// this one adds to it.
struct KeptKnowledge {
  std::shared_ptr<KnowledgeKeeper> keeper;  ///< null: nowhere
  bool adds = false;
};

/// `setting`: auto (what $TANDEM_KNOWLEDGE says, else the folder in the user's cache), read-only
/// (that folder, and nothing is added), off, or a folder.
KeptKnowledge open_knowledge(const std::string& setting);

/// What lanes of a device are expected to gain, by one of the models in
/// $TANDEM_DATA_DIR/models/lanes or that came with Tandem. Null where none is of this device.
std::shared_ptr<const StreamModel> lane_model_of(const std::string& device);

}  // namespace tandem::bin
