// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/tensorspec.h>

#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A value of a stage's property `tensors`: the outputs that frames carry as GstTensorMeta.
class TensorChoice {
 public:
  /// `text`: "none" or nothing, "all", or names separated by commas; spaces do not count.
  explicit TensorChoice(std::string_view text);

  bool is_any() const { return all_ || !names_.empty(); }
  bool has(TensorName name) const;

  /// A warning for the user about names that are none of `outputs`; empty the second time and where
  /// there is nothing to warn of. Thread-safe.
  std::string take_warning(const std::string& stage, std::span<const TensorSpec> outputs) const;

 private:
  bool all_ = false;
  std::vector<TensorName> names_;
  mutable std::atomic<bool> checked_{false};
};

}  // namespace tandem
