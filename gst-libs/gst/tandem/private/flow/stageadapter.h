// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/flow/currentwork.h>
#include <gst/tandem/private/flow/frameitem.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/stagesettings.h>
#include <gst/tandem/private/tensorchoice.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "scheduler/flow/stage.h"

namespace tandem {

/// One stage element as the scheduler's Stage. The item must be a FrameItem.
///
///   CurrentWork    the work in use, and how it is made
///   slottensors.h  inputs and outputs of a frame
///   SplitSides     both sides at a time
class StageAdapter final : public Stage {
 public:
  explicit StageAdapter(GstTandemStage* stage) : stage_(stage), work_(stage) {}

  void set_index(int index) { index_ = index; }  ///< its place in the chain; 0 when alone

  void property_set() { properties_set_ = true; }  ///< from any thread, with any lock held
  /// Whether properties were set since they were read last; at first they were.
  bool properties_set() const { return properties_set_; }
  /// The current properties, for use(). One thread reads.
  std::shared_ptr<const StageSettings> read_settings();

  CurrentWork& work() { return work_; }
  const CurrentWork& work() const { return work_; }
  const StageDescription& description() const { return work_.description(); }

  /// The property `tensors`, from any thread.
  void choose_tensors(const std::string& text);
  std::shared_ptr<const TensorChoice> tensor_choice() const;  ///< null: none
  bool keeps_tensors() const;  ///< whether frames keep chosen ones, in this build
  /// Posts a warning about tensors that are chosen and not made, once for each choice.
  void check(const TensorChoice& choice, std::span<const TensorSpec> outputs);

  void forget();  ///< releases the work and its pools
  /// Posts a warning, unless it equals the last one: new settings make new work, too.
  void post(const std::string& notice);

  std::string name() const override;
  bool serial() const override { return description().serial; }
  bool changes_item() const override { return description().changes_pixels; }
  bool has_device(int kind = 0) const override { return work_.has_device(kind); }
  bool has_cpu() const override { return description().has_cpu; }
  Status prepare(Item& item) override;
  Status begin(Item& item) override;
  int rows(const Item& item) const override;
  void compute(Item& item, int first, int last) override;
  Status enqueue(Item& item, bool to_host) override;
  bool has_bands() const override { return description().bands; }
  Status enqueue_band(Item& item, int first, int last, bool to_host) override;
  Status enqueue_copy(Item& item, bool to_host) override;
  Status finish(Item& item, bool on_device) override;
  bool can_split() const override { return work_.can_split(); }
  bool joins() const override { return description().joins; }
  SplitRows needs(const Item& item, int producer, const SplitRows& rows) const override;
  Status share(Item& item, const SplitRows& rows) override;
  Status enqueue_split(Item& item, const SplitRows& rows, bool to_host) override;
  Status finish_split(Item& item, const SplitRows& rows) override;

  /// guard() that records the failed device.
  template <typename Body>
  static Status guard_of(const FrameItem& item, Body&& body) {
    return guard([&]() -> Status {
      try {
        return body();
      } catch (const opencl::Error& error) {
        return Status::device_failed(error.what(), item.device_of(error));
      }
    });
  }

 private:
  GstTandemFrame& slot(FrameItem& item) const { return item.slots[index_]; }
  void publish(FrameItem& item);

  GstTandemStage* const stage_;
  CurrentWork work_;
  int index_ = 0;
  std::atomic<bool> properties_set_{true};
  std::mutex notice_mutex_;  // guards the next
  std::string posted_;
  mutable std::mutex choice_mutex_;  // guards the next
  std::shared_ptr<const TensorChoice> choice_;
};

}  // namespace tandem
