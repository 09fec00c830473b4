// SPDX-License-Identifier: LGPL-2.1-or-later
// GstTandemDescription inside the library.
#pragma once

#include <gst/tandem/description.h>
#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/stage.h>

#include <string>

struct _GstTandemDescription {
  tandem::StageDescription stage;
  std::string kernel_source, kernel_name;  // empty: none
  bool reads_luma = false;
  bool takes_deferred = false;  // opencl::take_deferred()
};

namespace tandem {

/// Calls the class's `describe` for these properties.
_GstTandemDescription describe_stage(GstTandemStage* stage, const GstStructure* values);
/// Describes the stage with its current properties. Called before its first frame, for each
/// instance.
StageDescription describe_now(GstTandemStage* stage);
/// The name of the element's factory, as in a launch line.
const char* element_name(GstTandemStage* stage);

}  // namespace tandem
