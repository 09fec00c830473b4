// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "model/measurements.h"

namespace tandem {

/// A configuration has to be so many times as fast to replace the running one.
inline constexpr double kBetter = 1.05;

/// A rate or a ratio that differs from that of a training by this factor is unusual.
inline constexpr double kUnusual = 1.5;

/// Frames that show the usual ratio of a stream.
inline constexpr int kUsualFrames = 50;

/// The balance of split frames while they run (Marrow, section 3.3). State in, decision out.
///
/// A frame is balanced when the faster side takes at least 88% of the slower one's time. Unbalanced
/// frames enter the mean lbt(n) = w unbalanced + (1 - w) lbt(n - 1) with w = 0.25. From 0.9 on, or
/// nine such frames in a row, the share moves, so that single slow frames do not count. The first
/// move goes half of the way to the share that the latest rates give, the next ones go all of it.
/// After three moves in vain rates have to be measured anew.
///
/// The share whose frames take the least time may have one side wait for the other: waking the
/// cores or joining costs more than a few rows. The ratio of the sides' times at that share then
/// counts as balanced. The first 50 frames of the stream correct it, because frames wait there, and
/// the source computes beside them.
///
/// A move has to gain 5% of the slower side's time. Times that come and go would move the share
/// forth and back. So each move that undoes the one before, the first apart, doubles the frames for
/// which the next has to be justified, up to 1152. 10 000 frames without a move reset them.
class Balance {
 public:
  enum class Act {
    none,
    move,     ///< cpu_share() has changed
    measure,  ///< moving does not help
  };

  Balance() = default;
  /// The fixed times of the sides are 0 where they are not known. `usual`: the cores' time divided
  /// by the device's with this share.
  explicit Balance(int cpu_share, double cores_fixed_s = 0, double device_fixed_s = 0,
                   double usual = 1);

  /// With the times that a training measured, and the usual ratio if the share is the training's.
  static Balance of(int cpu_share, const Split& split);

  /// Takes the times of the sides for their rows of a frame with cpu_share().
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

  /// Each side's time by the latest frames, its fixed part, and that of all rows.
  struct Rates {
    double cores_s, cores_fixed_s, cores_rows_s;
    double device_s, device_fixed_s, device_rows_s;
  };
  Rates rates() const;

  int cpu_share_ = 0;
  double usual_ = 1;
  bool learns_ = false;                       ///< the usual ratio
  std::array<double, kUsualFrames> first_{};  ///< of the cores by the device
  // The cores' times are divided by the usual ratio.
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
