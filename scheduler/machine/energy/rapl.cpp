// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/rapl.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "files/ascii.h"
#include "files/file_handle.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Reason = EnergyUnavailable::Reason;
using Event = MonotonicCounter::Event;

constexpr double kRaplResolutionS = 0.001;  // Intel's manual: counters are updated about every 1 ms
constexpr double kMostPackageW = 1000;
constexpr double kPackageRestS = 1;  // a package that is switched on always draws something

enum class Kind { package, cores, device, memory, other };

Kind kind_of(const std::string& name) {
  if (name.starts_with("package-")) return Kind::package;
  if (name == "core") return Kind::cores;
  if (name == "uncore") return Kind::device;
  if (name == "dram") return Kind::memory;
  return Kind::other;  // psys is the whole machine and holds the packages: it would count twice
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Zones are listed flat; intel-rapl-mmio:0 is intel-rapl:0 again, reached another way.
std::vector<fs::path> zone_folders(const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (name.starts_with("intel-rapl:")) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

EnergyUnavailable denied(const std::string& counter, const std::string& folder) {
  return {Reason::denied, counter + " can be read by root only",
          "Until the next start: sudo chmod a+r " + folder +
              "/intel-rapl:*/energy_uj\n"
              "For good: echo 'ACTION==\"add\", SUBSYSTEM==\"powercap\", "
              "RUN+=\"/bin/chmod a+r /sys%p/energy_uj\"' | "
              "sudo tee /etc/udev/rules.d/70-energy-counters.rules"};
}

FileHandle open_for_reading(const RaplOptions& options, const std::string& counter) {
  const int file = options.open_file ? options.open_file(counter)
                                     : ::open(counter.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) return FileHandle(file);
  const int error = options.open_file ? -file : errno;
  if (error == EACCES || error == EPERM) throw denied(counter, options.folder);
  throw EnergyUnavailable(Reason::absent, counter + ": " + std::strerror(error));
}

}  // namespace

struct RaplMeter::Zone {
  Kind kind;
  std::string name;
  std::string counter;
  FileHandle file;
  MonotonicCounter energy;
};

bool processor_is_amd() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("vendor_id")) continue;
    return line.find("AuthenticAMD") != std::string::npos ||
           line.find("HygonGenuine") != std::string::npos;
  }
  return false;
}

RaplMeter::RaplMeter(const RaplOptions& options) {
  open_zones(options);
  describe(options);
  read();  // energy is counted from here on
}

RaplMeter::~RaplMeter() = default;

void RaplMeter::open_zones(const RaplOptions& options) {
  for (const fs::path& folder : zone_folders(options.folder)) {
    const std::string name = first_line(folder / "name");
    const Kind kind = kind_of(name);
    if (kind == Kind::other || (kind == Kind::cores && options.amd)) continue;
    const double range_uj = leading_number(first_line(folder / "max_energy_range_uj"));
    const CounterLimits limits{range_uj * 1e-6, kRaplResolutionS, kMostPackageW,
                               kind == Kind::package ? kPackageRestS : 0};
    const std::string counter = folder / "energy_uj";
    zones_.push_back(
        {kind, name, counter, open_for_reading(options, counter), MonotonicCounter(limits)});
  }
}

void RaplMeter::describe(const RaplOptions& options) {
  const auto count = [this](Kind kind) {
    return std::count_if(zones_.begin(), zones_.end(),
                         [kind](const Zone& zone) { return zone.kind == kind; });
  };
  const auto packages = count(Kind::package);
  if (packages == 0) {
    throw EnergyUnavailable(Reason::absent, "no counters in " + options.folder +
                                                " (a virtual machine, or not an x86 processor)");
  }
  PackageCounters counters;
  counters.cores = count(Kind::cores) == packages;
  counters.device = options.device_in_package && count(Kind::device) == packages;
  counters.memory = count(Kind::memory) > 0;
  const auto first = std::find_if(zones_.begin(), zones_.end(),
                                  [](const Zone& zone) { return zone.kind == Kind::package; });
  split_.emplace(counters);
  description_.name = "rapl";
  split_->describe(packages == 1 ? first->name : std::to_string(packages) + " packages",
                   kRaplResolutionS, description_);
}

void RaplMeter::read_zone(Zone& zone, MeterClock::time_point now) {
  char text[32];
  const ssize_t size = pread(zone.file.number(), text, sizeof text, 0);
  uint64_t value_uj = 0;
  if (size <= 0 || std::from_chars(text, text + size, value_uj).ec != std::errc()) {
    zone.energy.lose();
    messages_.tell_once(zone.counter, zone.counter + " can no longer be read" +
                                          (size < 0 ? std::string(": ") + std::strerror(errno)
                                                    : ": it does not hold a number") +
                                          "; its energy is unknown until it can be read again");
    return;
  }
  const Event event = zone.energy.add(static_cast<double>(value_uj) * 1e-6, now);
  if (event == Event::none) return;
  const std::string what = "RAPL " + zone.name + " (" + zone.counter + ")";
  messages_.tell_once(zone.counter + std::to_string(static_cast<int>(event)),
                      tandem::describe(event, what));
}

std::optional<EnergyReading> RaplMeter::read() { return read_at(MeterClock::now()); }

std::optional<EnergyReading> RaplMeter::read_at(MeterClock::time_point now) {
  PackageTallies tallies;
  for (Zone& zone : zones_) {
    read_zone(zone, now);
    CounterReading& sum = zone.kind == Kind::package  ? tallies.package
                          : zone.kind == Kind::cores  ? tallies.cores
                          : zone.kind == Kind::device ? tallies.device
                                                      : tallies.memory;
    sum += {zone.energy.since_open_j(), zone.energy.read_at(), zone.energy.breaks()};
  }
  return split_->split(tallies);
}

}  // namespace tandem
