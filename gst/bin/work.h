// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <memory>
#include <string>
#include <vector>

namespace tandem {

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

}  // namespace tandem
