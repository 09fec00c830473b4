// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "model/measurements.h"

namespace tandem {

/// What has to be so many times as fast to take the place of what runs.
inline constexpr double kBetter = 1.05;

/// How many times another rate or ratio than a training saw is no usual one.
inline constexpr double kUnusual = 1.5;

/// Frames that show what is usual in a stream.
inline constexpr int kUsualFrames = 50;

/// The balance of split frames while they run (Marrow, section 3.3). State in, decision out.
///
/// A frame is balanced when the faster side takes at least 88% of the slower one's time. What is
/// seen of frames that are not is weighted as lbt(n) = w unbalanced + (1 - w) lbt(n - 1) with
/// w = 0.25, and acted on from 0.9 on: nine frames in a row, so that single slow ones do not count.
/// The first move goes half of the way to the share that the latest rates give, the next ones go
/// all of it. After three moves in vain rates have to be measured anew.
///
/// The share whose frames take the least time may have one side wait for the other: waking the
/// cores or joining costs more than a few rows. What the cores took of the device's time when it
/// was chosen counts as balanced then, as the first 50 frames of the stream show it: frames wait
/// there, and the source computes beside them.
///
/// A move has to gain 5% of the slower side's time. Times that come and go would move the share
/// forth and back: each time that a move undoes the one before, the first apart, the next has to be
/// justified for twice as long, up to 1152 frames, until none was for 10 000 frames.
class Balance {
 public:
  enum class Act {
    none,
    move,     ///< cpu_share() has changed
    measure,  ///< moving does not help
  };

  Balance() = default;
  /// The times that sides take beside their rows are 0 where they are not known. `usual`: what the
  /// cores take of the device's time with this share.
  explicit Balance(int cpu_share, double cores_fixed_s = 0, double device_fixed_s = 0,
                   double usual = 1);

  /// As a training has measured the sides, and with its share also what is usual.
  static Balance of(int cpu_share, const Split& split);

  /// Takes what the sides took for their rows of a frame with cpu_share().
  Act frame_done(double cores_s, double device_s);

  int cpu_share() const { return cpu_share_; }  ///< percent; 0: nothing is split

 private:
  static constexpr int kLatest = 9;

  bool learns_what_is_usual(double cores_s, double device_s);
  bool lies_to_one_side() const;
  bool is_time_to_act();
  double target() const;
  bool gains(double target) const;
  Act move_to(double share);
  void note_turn(bool up);

  /// A side's time, and what of it its rows take, by the latest frames.
  struct Rates {
    double cores_s, cores_fixed_s, cores_rows_s;
    double device_s, device_fixed_s, device_rows_s;
  };
  Rates rates() const;

  int cpu_share_ = 0;
  double usual_ = 1;
  bool learns_ = false;                       ///< what is usual
  std::array<double, kUsualFrames> first_{};  ///< of the cores by the device
  // Of the cores: times by what is usual.
  double cores_fixed_s_ = 0, device_fixed_s_ = 0;
  double unbalanced_ = 0;  ///< lbt
  std::array<double, kLatest> cores_s_{}, device_s_{};
  int seen_ = 0;                     ///< frames with this share
  int moves_ = 0;                    ///< since it was balanced
  int due_ = 0;                      ///< frames since a move is due
  int turns_ = 0;                    ///< moves that undid the one before
  bool up_ = false, moved_ = false;  ///< the latest move
  int since_move_ = 0;               ///< frames
};

}  // namespace tandem
