// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "tests/virtual_chip/chip/live_chip.h"

namespace tandem::test {

/// The real tandembin on a chip in real time: a source that always has a frame, a stage for each of
/// the chip's, a sink that counts. Plays from the beginning.
class LiveBin {
 public:
  /// `properties` of the bin.
  LiveBin(const Chip& chip, unsigned seed, const std::string& properties);
  ~LiveBin();
  LiveBin(const LiveBin&) = delete;
  LiveBin& operator=(const LiveBin&) = delete;

  struct Decision {
    std::string reason, configuration;
    int experiments = 0;
  };
  /// Waits for the next one; none when the pipeline fails or says nothing for `most_s`.
  std::optional<Decision> wait_for_decision(int most_s);

  LiveChip& chip() { return *chip_; }

  /// Frames of another size come.
  void change_size(int width);
  /// False when they have not come after two minutes.
  bool wait_for_frames(int more) const;
  double stat(const char* name) const;

  /// Ends the stream. True when all frames that went in came out, each once and in order.
  bool end_complete();

 private:
  static void on_frame(GstElement*, GstBuffer* buffer, GstPad*, gpointer data);
  GstElement* element(const char* name) const;  // borrowed: the pipeline holds it

  const std::shared_ptr<LiveChip> chip_;
  GstElement* pipeline_ = nullptr;
  std::atomic<uint64_t> in_{0}, out_{0};
  std::atomic<bool> in_order_{true};
};

/// Makes `tandembin` and `virtualstage` known. After gst_init().
void register_elements();

}  // namespace tandem::test
