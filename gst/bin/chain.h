// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <string>
#include <vector>

namespace tandem {

/// Call it before READY, which opens what an element of another kind may write to. Posts an error
/// that names such an element.
bool holds_stages_only(GstBin* bin);

/// The stages of a bin in the order in which frames pass them. Children that nobody linked are
/// linked in the order in which they were added. Throws std::runtime_error that says what is wrong:
/// no stage, an element that is no stage, or stages that are not one chain. The bin owns the
/// stages.
std::vector<GstTandemStage*> find_chain(GstBin* bin);

/// Points the bin's ghost pads at the ends of the chain. Throws std::runtime_error.
void expose_chain(const std::vector<GstTandemStage*>& stages, GstPad* sink, GstPad* src);

/// Fills an empty bin from a description such as "vividfilter ! vividhistogram". Throws
/// std::runtime_error.
void fill_from_description(GstBin* bin, const std::string& description);

}  // namespace tandem
