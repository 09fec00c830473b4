// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "model/configuration.h"

namespace tandem {

/// Stands for a time or an energy that nobody could read. It spreads through sums and products, and
/// the model's comparisons let it through: a result of an unknown value is unknown, never 0.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
inline bool known(double value) { return !std::isnan(value); }

/// Joules per frame in the three domains of Vilches, section III-A.
struct Energy {
  double c = kUnknown;  ///< the cores
  double g = kUnknown;  ///< the device
  double u = kUnknown;  ///< the rest that the meter covers: package - c - g, and memory

  /// The domains that a meter covers, together; unknown where no meter covers any.
  double sum() const {
    double all = kUnknown;
    for (const double each : {c, g, u})
      if (known(each)) all = known(all) ? all + each : each;
    return all;
  }
};

/// Time and energy of one frame.
struct Cost {
  double seconds = kUnknown;
  Energy joules;

  /// It takes so many times as long, at the same watts.
  void multiply(double times) {
    for (double* value : {&seconds, &joules.c, &joules.g, &joules.u}) *value *= times;
  }
};
inline constexpr Cost kNoCost{0, {0, 0, 0}};

/// How the energies of CPU and device make up that of a domain when both work.
enum class Domain {
  /// No meter covers it: it is left out of every configuration alike.
  absent,
  /// The larger of both: the smaller is stand-by consumption, which the larger already includes.
  /// The energy balance condition of Vilches, section IV.
  dominant,
  /// The sum of both: one counter sees the work of both sides. Examples are a package counter for
  /// cores and device, and the cores' counter when the device computes on them. An upper bound, as
  /// stand-by consumption is counted twice.
  additive,
};

/// The energies' domains. The default is a machine without a meter: every energy is unknown.
struct Domains {
  Domain c = Domain::absent, g = Domain::absent, u = Domain::absent;
};

/// One stage, measured alone (Tables I and II of Vilches).
struct StageMeasurements {
  Cost cg;      ///< T_k^CG: one thread
  Cost mg;      ///< T_k^MG: nC threads on one frame
  Cost device;  ///< T_k^G: without transfers
  bool has_device = false;
  bool has_cpu = true;     ///< else `cg` and `mg` are 0: frames wait for the device
  bool serial = false;     ///< frames pass one at a time
  bool can_split = false;  ///< both sides can compute a part of a frame's rows at the same time
  /// Host to device, where a run of device stages begins with this stage. A transfer whose energy
  /// was not measured makes the energy of the mappings that need it unknown.
  Cost upload = kNoCost;
  Cost download = kNoCost;  ///< device to host, where a run of device stages ends with this stage
};

/// A frame's device time with S lanes, divided by that with one: X(1) / X(S) for the rates X of the
/// device alone. Its energy likewise.
struct LaneFactor {
  double seconds = kUnknown;
  double joules = 1;
};

/// Time of one side of split stages for a part of a frame's rows, 0 ... 1: a fixed time for any
/// part, and one that grows with the rows. Without rows it is 0.
struct SplitSide {
  double fixed_s = kUnknown;
  double rows_s = kUnknown;  ///< of all rows: W / S of Stafford

  double seconds(double part) const { return part > 0 ? fixed_s + part * rows_s : 0; }
};

/// All stages that can be split, with one frame at a time on both sides. Watts are those of
/// Stafford, equation 2: the static ones are drawn while the frame lasts, the others while a side
/// computes.
struct Split {
  SplitSide cores, device;
  double static_w = kUnknown, cores_w = kUnknown, device_w = kUnknown;
  /// Percent of the rows on the cores in the split that may be chosen; 0: none may.
  int cpu_share = 0;
  /// Time of a frame on both sides before they begin and after both are done.
  double joins_s = 0;
};

/// Times on the devices of a further letter, all of them together; without energies.
struct LetterMeasurements {
  struct Stage {
    bool works = false;  ///< on these devices
    double seconds = kUnknown;
    double upload_s = 0, download_s = 0;  ///< as in StageMeasurements
  };
  std::vector<Stage> stages;
  int devices = 1;
  double device_cores = 0;  ///< as in Measurements
};

/// Results of the nC + 3 experiments (Tables I and II of Vilches), and properties of the machine.
/// Seconds and joules are per frame.
struct Measurements {
  int cores = 1;  ///< nC
  /// Devices of the letter 'g'. A frame's device time was measured with all of them: it is a share
  /// of its time on one.
  int devices = 1;
  std::vector<StageMeasurements> stages;
  /// T^CG(n), n = 1 ... nC + 1, at [n - 1]: seconds divided by frames when n threads compute a
  /// frame each, all stages. Unknown where not measured, as are configurations that need them.
  std::vector<Cost> cg;
  /// At [n - 1]: T^CG(n) is interpolated between measured ones. Empty: all were measured.
  std::vector<bool> cg_interpolated;

  /// 95th percentile of a frame's latency, all stages on the CPU, divided by n times `cg`, at [n -
  /// 1], or by its time under medium grain. Unknown values are as for other n, or 1.
  std::vector<double> cg_spread;
  double mg_spread = kUnknown;

  /// With S lanes, at [S - 1]; unknown where nothing was measured.
  std::array<LaneFactor, kMaxLanes> lane_factors{{{1, 1}}};

  std::vector<LetterMeasurements> further;  ///< letters h and i; none of these works: not measured

  Split split;  ///< unknown where no frame was split

  /// At [n]: a frame's device time while n cores compute frames of their own, divided by that with
  /// idle cores. Cores take time from the thread that feeds the device, and bandwidth from its
  /// copies. Empty: 1.
  std::vector<double> crowding;

  Domains domains;
  /// Thermal design power of all that the domains cover, in watts; 0: none is known.
  double tdp_w = 0;
  /// Most frames in flight, delivered in order; 0: no bound.
  int window = 0;
  /// Cores that are busy while the device computes: 1 where the driver spins, nC for an OpenCL
  /// device made of the CPU's cores, 0 for other devices, whose driver sleeps.
  double device_cores = 0;
};

}  // namespace tandem
