// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/open_meter.h"

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "files/parse_number.h"
#include "scheduler/machine/energy/meter.h"
#include "scheduler/machine/energy/nvml.h"
#include "scheduler/machine/energy/pcm.h"
#include "scheduler/machine/energy/power_model.h"
#include "scheduler/machine/energy/rapl.h"

namespace tandem {
namespace {

using Meters = std::vector<std::unique_ptr<EnergyMeter>>;

// Several meters that are read as one.
class MeterGroup : public EnergyMeter {
 public:
  explicit MeterGroup(Meters meters) : meters_(std::move(meters)) {
    for (const auto& meter : meters_)
      description_.coverage +=
          (description_.coverage.empty() ? "" : "; ") + meter->description().coverage;
  }

  std::shared_ptr<void> follow_closely() override {
    auto tokens = std::make_shared<std::vector<std::shared_ptr<void>>>();
    for (const auto& meter : meters_) tokens->push_back(meter->follow_closely());
    return tokens;
  }

  std::vector<std::string> take_messages() override {
    std::vector<std::string> all;
    for (const auto& meter : meters_)
      for (std::string& message : meter->take_messages()) all.push_back(std::move(message));
    return all;
  }

 protected:
  const Meters meters_;
};

class SummedMeter final : public MeterGroup {
 public:
  explicit SummedMeter(Meters meters) : MeterGroup(std::move(meters)) {
    std::string coverage = std::move(description_.coverage);
    description_ = meters_.front()->description();
    description_.coverage = std::move(coverage);
  }

  // Unknown when one of them is: the others would be taken for all.
  std::optional<EnergyReading> read() override {
    std::optional<EnergyReading> sum;
    for (const auto& meter : meters_) {
      const std::optional<EnergyReading> reading = meter->read();
      if (!reading) return std::nullopt;
      if (!sum) {
        sum = reading;
        continue;
      }
      sum->c += reading->c;
      sum->g += reading->g;
      sum->u += reading->u;
    }
    return sum;
  }
};

// `to` takes the wanted domains of `from`.
template <typename T>
void take(PerDomain<T>& to, const PerDomain<T>& from, const PerDomain<bool>& wanted) {
  if (wanted.c) to.c = from.c;
  if (wanted.g) to.g = from.g;
  if (wanted.u) to.u = from.u;
}

class CombinedMeter final : public MeterGroup {
 public:
  explicit CombinedMeter(Meters meters) : MeterGroup(std::move(meters)) {
    PerDomain<bool>& covers = description_.covers;
    for (const auto& meter : meters_) {
      const MeterDescription& part = meter->description();
      const PerDomain<bool> wanted =
          by_domain([](bool has, bool taken) { return has && !taken; }, part.covers, covers);
      take(covers, part.covers, wanted);
      take(description_.resolution_s, part.resolution_s, wanted);
      description_.name += (description_.name.empty() ? "" : "+") + part.name;
      description_.modelled |= part.modelled;
      wanted_.push_back(wanted);
    }
  }

  std::optional<EnergyReading> read() override {
    EnergyReading all;
    for (std::size_t i = 0; i < meters_.size(); ++i)
      if (const auto reading = meters_[i]->read()) take(all, *reading, wanted_[i]);
    return known_or_none(all);
  }

 private:
  std::vector<PerDomain<bool>> wanted_;  // of each meter
};

/// Takes each domain from the first of `meters` that covers it. At least one meter.
std::unique_ptr<EnergyMeter> combine_meters(Meters meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<CombinedMeter>(std::move(meters));
}

/// Adds up meters that cover the same domains, one for each of several devices. At least one meter.
std::unique_ptr<EnergyMeter> sum_meters(Meters meters) {
  if (meters.size() == 1) return std::move(meters.front());
  return std::make_unique<SummedMeter>(std::move(meters));
}

using State = SourceReport::State;

class Opener {
 public:
  explicit Opener(const EnergyContext& context) : context_(context) {}

  bool rapl(const std::string& folder) {
    return add("rapl", [&] {
      return std::make_unique<RaplMeter>(
          RaplOptions{folder, context_.device.in_package, processor_is_amd(), {}});
    });
  }

  bool pcm(const std::string& host, int port) {
    return add("pcm", [&] {
      return std::make_unique<PcmMeter>(PcmOptions{host, port, context_.device.in_package});
    });
  }

  bool nvml(const std::string& gpu) {
    return add("nvml", [&]() -> std::unique_ptr<EnergyMeter> {
      NvmlOptions options{context_.nvml_library, gpu, context_.device.name, context_.device.pci_id};
      if (!gpu.empty() || context_.device.count == 1) return std::make_unique<NvmlMeter>(options);
      std::vector<std::unique_ptr<EnergyMeter>> meters;
      const auto gpus = NvmlLibrary(options.library).gpus();
      for (const std::size_t place : choose_gpus(gpus, options, context_.device.count)) {
        options.gpu = std::to_string(place);
        meters.push_back(std::make_unique<NvmlMeter>(options));
      }
      return sum_meters(std::move(meters));
    });
  }

  void model(PowerModel model) {
    add("model", [&] {
      if (model.g) model.g->static_w *= context_.device.count;
      const bool needs_busy = model.g && model.g->dynamic_w > 0;
      if (needs_busy && !context_.device_busy_s) model.g.reset();
      auto busy = [cores = context_.cores, device = context_.device_busy_s] {
        return BusyTimes{process_busy_s(cores), device ? device() : 0.0};
      };
      return std::make_unique<PowerModelMeter>(model, std::move(busy));
    });
  }

  OpenedMeter result() {
    OpenedMeter opened;
    if (!meters_.empty()) opened.meter = combine_meters(std::move(meters_));
    opened.sources = std::move(reports_);
    opened.missing = missing(opened);
    return opened;
  }

 private:
  // Makes a meter and reports how that went. False when the source cannot be used.
  template <typename Make>
  bool add(const std::string& source, Make make) {
    try {
      meters_.push_back(make());
      reports_.push_back({source, State::works, meters_.back()->description().coverage, {}});
      return true;
    } catch (const EnergyUnavailable& error) {
      reports_.push_back({source, error.reason, error.what(), error.advice});
    } catch (const std::exception& error) {  // no thread, no memory: no meter
      reports_.push_back({source, State::broken, error.what(), {}});
    }
    return false;
  }

  std::string missing(const OpenedMeter& opened) const {
    if (opened.sources.empty()) return {};
    const PerDomain<bool> covers =
        opened.meter ? opened.meter->description().covers : PerDomain<bool>{};
    // Cores and a device in the package that are not told apart are counted in U.
    const bool processor = covers.u;
    const bool device = covers.g || context_.device.name.empty() || context_.device.in_package;
    if (processor && device) return {};
    std::string text = "energy of the ";
    if (!processor) text += "processor (C and U)";
    if (!processor && !device) text += " and of the ";
    if (!device) text += "OpenCL device (G)";
    text += " is unknown";
    for (const SourceReport& report : opened.sources) {
      if (report.state == State::works) continue;
      text += "; " + report.source + ": " + report.text;
      if (!report.advice.empty()) text += ". " + report.advice;
    }
    return text;
  }

  const EnergyContext& context_;
  std::vector<std::unique_ptr<EnergyMeter>> meters_;
  std::vector<SourceReport> reports_;
};

[[noreturn]] void refuse(std::string_view choice) {
  throw std::invalid_argument("energy source '" + std::string(choice) +
                              "': expected auto, none, rapl, pcm, pcm:HOST:PORT, nvml, nvml:GPU or "
                              "model:c=12+35,g=8+150,u=6 (static+dynamic watts)");
}

void open_pcm(Opener& opener, std::string_view choice, std::string_view where,
              const EnergyContext& context) {
  if (where.empty()) {
    opener.pcm(context.pcm_host, context.pcm_port);
    return;
  }
  const std::size_t colon = where.rfind(':');
  if (colon == where.npos || colon == 0) refuse(choice);
  const std::string_view number = where.substr(colon + 1);
  const int port = parse_number<int>(number).value_or(0);
  if (port < 1 || port > 65535) refuse(choice);
  opener.pcm(std::string(where.substr(0, colon)), port);
}

void open_auto(Opener& opener, const EnergyContext& context) {
  // RAPL has a new value every millisecond, PCM every second: PCM is for users without RAPL.
  if (!opener.rapl(context.powercap_folder)) opener.pcm(context.pcm_host, context.pcm_port);
  if (!context.device.name.empty() && !context.device.in_package) opener.nvml({});
}

}  // namespace

OpenedMeter open_meter(std::string_view choice, const EnergyContext& context) {
  Opener opener(context);
  const std::size_t colon = choice.find(':');
  const std::string_view source = choice.substr(0, colon);
  const std::string_view detail =
      colon == choice.npos ? std::string_view() : choice.substr(colon + 1);
  if (choice == "auto") {
    open_auto(opener, context);
  } else if (source == "rapl") {
    opener.rapl(detail.empty() ? context.powercap_folder : std::string(detail));
  } else if (source == "pcm") {
    open_pcm(opener, choice, detail, context);
  } else if (source == "nvml") {
    opener.nvml(std::string(detail));
  } else if (source == "model" && colon != choice.npos) {
    opener.model(parse_power_model(detail));
  } else if (choice != "none") {
    refuse(choice);
  }
  return opener.result();
}

}  // namespace tandem
