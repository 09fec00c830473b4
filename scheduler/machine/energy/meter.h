// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// One value for each energy domain of Vilches, section III-A: C (cores), G (device), U (the rest).
template <typename T>
struct PerDomain {
  T c{}, g{}, u{};
  bool operator==(const PerDomain&) const = default;
};

/// One value for each domain: `function` of the values of that domain.
template <typename Function, typename... T>
auto by_domain(Function&& function, const PerDomain<T>&... of) {
  return PerDomain{function(of.c...), function(of.g...), function(of.u...)};
}

/// Joules (or watts) by domain. A domain that cannot be told apart is unknown, and its energy is in
/// U when the counter of the whole chip holds it. So the sum of known domains counts nothing twice.
using EnergyDomains = PerDomain<std::optional<double>>;

/// The sum over the domains that a meter covers; unknown when one of these is, or there is none.
std::optional<double> total(const EnergyDomains& domains, const PerDomain<bool>& covers);

using MeterClock = std::chrono::steady_clock;

/// The count of one counter, or of several added up, at a moment.
struct CounterReading {
  std::optional<double> since_open_j;  ///< never falls
  MeterClock::time_point at;           ///< when the counter had this value
  /// Intervals that were lost: the counter stopped, jumped or could not be read. Two readings with
  /// different `breaks` say nothing about the time between.
  uint32_t breaks = 0;

  /// Unknown when either is; the time is the later one.
  CounterReading& operator+=(const CounterReading& other);
};

/// The counts of a meter up to now. Each domain has its own time: counters get new values at
/// different moments.
using EnergyReading = PerDomain<CounterReading>;

EnergyDomains since_open_j(const EnergyReading& reading);
/// Empty while no domain is known.
std::optional<EnergyReading> known_or_none(const EnergyReading& reading);

/// Joules between two readings of one meter; unknown where either is or where the interval is lost.
EnergyDomains energy_between_j(const EnergyReading& first, const EnergyReading& second);

/// Average watts between two readings, by each domain's own time; unknown as above, and where no
/// new value has come. For work that is steady over more than one resolution this is the estimate
/// to use: watts times seconds per frame.
EnergyDomains power_between_w(const EnergyReading& first, const EnergyReading& second);

struct MeterDescription {
  std::string name;                ///< "rapl", "pcm", "nvml", "model", "rapl+nvml"
  std::string coverage;            ///< "package-0: cores (C) and rest (U)"
  PerDomain<bool> covers;          ///< domains that it can tell
  PerDomain<double> resolution_s;  ///< between new values; 0 where not covered
  bool modelled = false;           ///< computed from configured watts, not measured

  /// The coarsest of the covered domains: an experiment lasts several of these.
  double coarsest_resolution_s() const;
};

enum class SourceState {
  works,
  absent,  ///< this machine has no such counter, or nothing serves it
  denied,  ///< it has, but not for this user
  broken,  ///< its answers make no sense
};

/// A source of energy values cannot be used. what() says why.
class EnergyUnavailable : public std::runtime_error {
 public:
  using Reason = SourceState;
  EnergyUnavailable(Reason why, const std::string& text, std::string what_to_do = {})
      : std::runtime_error(text), reason(why), advice(std::move(what_to_do)) {}

  Reason reason;
  std::string advice;  ///< how to get it; may be empty
};

/// Collects messages for take_messages(). Thread-safe.
class MessageBox {
 public:
  /// Keeps `text` unless something with this `key` was told before.
  void tell_once(const std::string& key, std::string text);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::set<std::string> told_;
  std::vector<std::string> waiting_;
};

/// Counts energy. Bad counters never throw and never stop a stream: values that they lack are
/// unknown, and take_messages() reports a fault once. read() and take_messages() may be called from
/// any thread, one at a time.
class EnergyMeter {
 public:
  virtual ~EnergyMeter() = default;
  EnergyMeter(const EnergyMeter&) = delete;
  EnergyMeter& operator=(const EnergyMeter&) = delete;

  const MeterDescription& description() const { return description_; }

  /// Takes microseconds: never waits for a server, a driver or another thread's work. Empty while
  /// no domain is known.
  virtual std::optional<EnergyReading> read() = 0;

  /// Reports of faults since the last call, for people: each kind of fault is reported once.
  virtual std::vector<std::string> take_messages() { return messages_.take(); }

  /// While the token lives, the moments of new values are found as exactly as can be. Otherwise a
  /// counter that costs much to ask, as a GPU's driver does, may be asked less often.
  virtual std::shared_ptr<void> follow_closely() { return nullptr; }

 protected:
  EnergyMeter() = default;
  MeterDescription description_;  ///< set before the meter is handed out
  MessageBox messages_;
};

}  // namespace tandem
