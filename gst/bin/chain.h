// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/flow/way.h"

namespace tandem::bin {

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

/// What the stages of a chain do with frames: their properties, which may be set at any time on any
/// thread and reach frames when this takes them over. For one thread at a time.
class ChainWork {
 public:
  /// Takes over the properties as they are now. The stages outlive this.
  explicit ChainWork(const std::vector<GstTandemStage*>& stages);

  /// Reads properties that were set. True when they make another work of frames: take_over() is
  /// then due, with nothing in flight. Those that do not hold from now on. Costs a look at a flag
  /// a stage while none is set.
  bool read();
  /// The frames that begin from now on are computed with what was read.
  void take_over();
  /// The stages with the properties that make the work of frames, as taken over.
  const std::string& text() const { return text_; }

 private:
  std::string describe() const;

  std::vector<StageAdapter*> adapters_;
  std::vector<std::shared_ptr<const StageSettings>> read_;  // one a stage
  std::string text_;
  bool due_ = false;
};

/// Which stages of a chain can be repeated.
class ChainRepeat {
 public:
  /// Of stages whose settings are in use. Throws std::runtime_error that says what to do when
  /// rounds() asks for what cannot be.
  explicit ChainRepeat(const std::vector<GstTandemStage*>& stages);

  /// As rounds() of the settings in use says.
  Repeat now() const;

 private:
  struct Part {
    GstTandemStage* stage;  // the last; kept alive by who has the chain
    Repeat repeat;
  };
  std::vector<Part> parts_;
};

}  // namespace tandem::bin
