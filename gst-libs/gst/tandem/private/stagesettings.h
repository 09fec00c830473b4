// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/stage.h>

#include <memory>
#include <string>

namespace tandem {

/// Owned by the holder.
struct FreeStructure {
  void operator()(GstStructure* structure) const { gst_structure_free(structure); }
};
using StructureRef = std::unique_ptr<GstStructure, FreeStructure>;

/// A snapshot of the properties of a stage.
struct StageSettings {
  std::string all;   ///< the element and all of its properties: equal texts mean equal values
  std::string work;  ///< the same without those that do not change the work
  /// Passes of a frame through the part of the chain that ends with this stage; at least 1. Part of
  /// the settings, because a frame's way is decided before there is work for it.
  int rounds = 1;
  int interval = 1;     ///< frames from one that the stage computes to the next; likewise
  StructureRef values;  ///< by name: the readable properties of the subclass and of its children
};

/// The current readable properties of the subclass and of its children, by name.
StructureRef read_values(GstTandemStage* stage);
/// The current properties.
std::shared_ptr<const StageSettings> read_settings(GstTandemStage* stage);

}  // namespace tandem
