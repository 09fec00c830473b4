// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/stagedescription.h>

#include <memory>
#include <string>
#include <vector>

#include "scheduler/flow/intervals.h"
#include "scheduler/flow/stage_path.h"

namespace tandem::bin {

/// Posts an error that names the first child that is no stage, and returns false. Called before
/// READY, in which state such an element may already open files for writing.
bool holds_stages_only(GstBin* bin);

/// Returns the stages of a bin in the order in which frames pass them. The bin owns the stages.
/// Children without any link are linked in the order in which they were added. Throws
/// std::runtime_error with the reason if there is no stage, an element that is no stage, or more
/// than one chain.
std::vector<GstTandemStage*> find_chain(GstBin* bin);

/// Sets the targets of the bin's ghost pads to the ends of the chain. Throws std::runtime_error.
void expose_chain(const std::vector<GstTandemStage*>& stages, GstPad* sink, GstPad* src);

/// Fills an empty bin from a launch description, stages separated by "!". Throws
/// std::runtime_error.
void fill_from_description(GstBin* bin, const std::string& description);

/// The properties of a chain's stages with which frames are computed. Applications set properties
/// at any time on any thread; frames see them after take_over(). Used by one thread at a time.
class ChainWork {
 public:
  /// Takes over the current properties. The stages outlive this.
  explicit ChainWork(const std::vector<GstTandemStage*>& stages);

  /// Reads properties that were set since the last call, at the cost of one flag a stage if there
  /// are none. Returns true if they change the work of the frames: take_over() is then due, with no
  /// frame in flight. Properties that leave the work unchanged take effect at once.
  bool read();
  /// Frames that begin from now on are computed with the properties of the last read().
  void take_over();
  /// The stages with the properties that determine the work, as taken over.
  const std::string& text() const { return text_; }

 private:
  std::string describe() const;

  std::vector<StageAdapter*> adapters_;
  std::vector<std::shared_ptr<const StageSettings>> read_;  // one a stage
  std::string text_;
  bool due_ = false;
};

/// The parts of a chain that frames can pass several times.
class ChainRepeat {
 public:
  /// The settings of the stages are in use already. Throws std::runtime_error with a remedy if
  /// StageSettings::rounds requests a repetition that is not supported.
  explicit ChainRepeat(const std::vector<GstTandemStage*>& stages);

  /// Returns the repetition that the settings in use request.
  Repeat now() const;

 private:
  struct Part {
    GstTandemStage* stage;  // the last one; the owner of the chain keeps it alive
    Repeat repeat;
  };
  std::vector<Part> parts_;
};

/// The stages that leave frames out, by their property `interval`, and those that miss their inputs
/// then. Used by one thread at a time.
class ChainIntervals {
 public:
  /// The stages outlive this.
  explicit ChainIntervals(const std::vector<GstTandemStage*>& stages);

  /// Takes over the intervals of the settings in use. If they differ from those before, the next
  /// frame is computed by all stages.
  void begin(const Repeat& repeat);
  /// Returns the stages that leave the next frame out, as bits.
  uint32_t next(GstBuffer* buffer);
  void take_back() { intervals_.take_back(); }
  void restart() { intervals_.restart(); }
  int period() const { return intervals_.period(); }

 private:
  // Inputs of which no stage before is the producer: they come with the frame, or from a stage that
  // replaces the producer.
  struct FromOutside {
    int stage;
    const StageDescription::Input* input;
  };

  std::vector<StageAdapter*> adapters_;
  std::vector<FromOutside> from_outside_;
  std::vector<Intervals::Rule> rules_;
  Intervals intervals_;
};

}  // namespace tandem::bin
