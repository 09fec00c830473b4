// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/classwork.h>
#include <gst/tandem/private/frameitem.h>
#include <gst/tandem/private/guard.h>
#include <gst/tandem/private/stagedescription.h>
#include <gst/tandem/private/tensorpool.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "model/configuration.h"
#include "scheduler/flow/stage.h"

namespace tandem {

/// A ClassWork with the pools of its outputs.
struct PooledWork {
  std::unique_ptr<ClassWork> work;
  const ClassWork* split = nullptr;  ///< the same, where frames can be split
  std::vector<TensorSpec> inputs;    ///< what it was made for
  GstVideoInfo video;
  std::vector<std::shared_ptr<TensorPool>> pools;  ///< one an output
  /// One an input, for those whose memory the device cannot use; empty without a device.
  std::vector<std::shared_ptr<TensorPool>> input_pools;
  std::shared_ptr<opencl::Context> context;  ///< what it was made for; null: the CPU alone
  int kind = 0;                              ///< of the devices that it was made for
  /// One an output: how many rows before their own ones the cores read of it that the device made,
  /// when that was known too late.
  mutable std::array<std::atomic<int>, kMaxTensors> border{};
  std::string device_problem;  ///< why it does not compute on the device it was for
  unsigned generation = 0;
};

/// One stage element as the scheduler's Stage. The item must be a FrameItem.
class StageAdapter final : public Stage {
 public:
  explicit StageAdapter(GstTandemStage* stage) : stage_(stage) {}

  void set_index(int index) { index_ = index; }  ///< its place in the chain; 0 when alone
  /// The devices to make work for, one context for each kind. Takes effect with the next frame.
  void set_contexts(std::vector<std::shared_ptr<opencl::Context>> contexts);

  /// Keeps what the first frame has at the stage, for build_for().
  void keep_first_frame() { keeps_first_frame_ = true; }
  /// Builds what the kept frame, and those like it, will need on devices of these kinds, and lets
  /// go of that frame. What fails is found out again when a device computes. From any thread, while
  /// frames pass.
  void build_for(std::span<const std::shared_ptr<opencl::Context>> kinds);

  void property_set() { properties_set_ = true; }  ///< from any thread, whatever it holds
  /// Whether properties were set since they were read last; at first they were.
  bool properties_set() const { return properties_set_; }
  /// The properties as they are now, for use(). One thread reads.
  std::shared_ptr<const StageSettings> read_settings();
  /// Frames that come to the stage from now on are computed with these.
  void use(std::shared_ptr<const StageSettings> settings);
  std::shared_ptr<const StageSettings> settings() const;  ///< in use; null before the first

  /// Brings inputs that the device of the work cannot use into memory that it can. Throws
  /// opencl::Error.
  void localise_inputs(FrameItem::Slot& slot) const;

  void forget();  ///< lets go of the work and its pools
  /// As a warning, unless it is what was posted last: work is made anew for other settings, too.
  void post(const std::string& notice);
  /// Asks the element what it is. With nothing in flight: description() holds until the next call.
  void describe();
  const StageDescription& description() const { return description_; }

  std::string name() const override;
  bool serial() const override { return description().serial; }
  bool changes_item() const override { return description().changes_pixels; }
  bool has_device(int kind = 0) const override;
  /// Whether devices of this kind can compute it, once there is a context for them.
  bool suits_device(int kind) const;
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
  bool can_split() const override;
  bool joins() const override { return description().joins; }
  SplitRows needs(const Item& item, int producer, const SplitRows& rows) const override;
  Status share(Item& item, const SplitRows& rows) override;
  Status enqueue_split(Item& item, const SplitRows& rows, bool to_host) override;
  Status finish_split(Item& item, const SplitRows& rows) override;

  /// guard() that says which of the devices failed.
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
  Status find_inputs(FrameItem& item, SlotFrame& frame);
  std::shared_ptr<const PooledWork> work_for(const FrameItem& item, SlotFrame& frame,
                                             std::string& notice);
  std::shared_ptr<const PooledWork> current_for(SlotRequest& request, SlotFrame& frame, int kind);
  std::shared_ptr<PooledWork> make_work(SlotRequest& request);
  void inherit(const PooledWork& made);
  static const ClassWork* maker_of(const FrameItem& item, const FrameItem::Slot& slot,
                                   std::size_t input);
  /// What build_for() makes work for.
  struct FirstFrame {
    GstVideoInfo video;
    std::vector<SlotTensor> inputs;
    std::vector<MemoryRef> memories;  ///< of these
  };
  void keep_first_frame(const SlotRequest& request);
  void share_tensors(FrameItem& item, const SplitRows& rows);
  static void enqueue_borders(FrameItem::Slot& slot, opencl::Queue& queue, const SplitRows& rows);
  void publish(FrameItem& item);

  GstTandemStage* const stage_;
  StageDescription description_;
  int index_ = 0;
  std::atomic<bool> properties_set_{true}, keeps_first_frame_{false};
  std::atomic<unsigned> generation_{1};  // of what work is made of: settings and contexts
  std::mutex make_mutex_;     // held while work is made, so that one thread makes it for all
  mutable std::mutex mutex_;  // guards what follows; never held while work is made
  std::string posted_;
  std::unique_ptr<FirstFrame> first_frame_;
  std::vector<std::shared_ptr<opencl::Context>> contexts_;  // one a kind
  std::shared_ptr<const StageSettings> settings_;
  std::array<std::shared_ptr<const PooledWork>, kMaxLetters> current_;  // for each kind
};

}  // namespace tandem
