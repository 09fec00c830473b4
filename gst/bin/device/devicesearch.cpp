// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/device/devicesearch.h"

#include <gst/tandem/private/openclcontext.h>

#include <stdexcept>
#include <utility>

#include "gst/bin/run.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {

namespace {

bool forces_device(const AdaptRules& rules) {
  return rules.allowed.mapping && rules.allowed.mapping->any_device();
}

template <class Find>
DeviceSearch::Found found_by(GstElement* bin, Find&& find) {
  try {
    DeviceSearch::Found found{find(), {}};
    GST_INFO_OBJECT(bin, "the OpenCL device is %s, %d of them",
                    found.context->device().name.c_str(), found.context->devices());
    return found;
  } catch (const std::exception& e) {
    GST_INFO_OBJECT(bin, "there is no OpenCL device: %s", e.what());
    return {nullptr, e.what()};
  }
}

}  // namespace

bool can_use_device(const AdaptRules& rules, uint32_t device_only) {
  return device_only != 0 || forces_device(rules) || (!rules.allowed.mapping && rules.any());
}

void check_mapping(const Run& run, const AdaptRules& rules) {
  if (!rules.allowed.mapping) return;
  const Mapping& mapping = *rules.allowed.mapping;
  for (int k = 0; k < run.stages(); ++k) {
    if (mapping.split(k)) {
      if (run.why_whole(k).empty()) continue;
      throw std::runtime_error("mapping '" + to_string(mapping) + "' splits " +
                               run.adapter(k).name() +
                               ", which cannot be split: " + run.why_whole(k));
    }
    if (mapping.on_device(k) || (run.device_only() >> k & 1) == 0) continue;
    throw std::runtime_error("mapping '" + to_string(mapping) + "' puts " + run.adapter(k).name() +
                             " on the CPU, but it has no CPU implementation: write g for stage " +
                             std::to_string(k + 1));
  }
}

void DeviceSearch::check_device(const Run& run) const {
  if (run.context() || searching_) return;
  for (int k = 0; k < run.stages(); ++k) {
    if ((run.device_only() >> k & 1) == 0) continue;
    throw std::runtime_error(run.adapter(k).name() +
                             " has no CPU implementation, and there is no OpenCL device to use: " +
                             problem_.value_or("no device was searched for"));
  }
}

bool DeviceSearch::wanted(const Run& run, const AdaptRules& rules) const {
  // A run that has ended takes no device.
  return can_use_device(rules, run.device_only()) && !run.context() && !problem_ && !run.ended();
}

DeviceSearch::Found DeviceSearch::search(GstElement* bin, const std::string& selector) {
  return found_by(bin, [&] { return find_opencl_context(bin, selector); });
}

DeviceSearch::Found DeviceSearch::open(GstElement* bin, const std::string& selector) {
  return found_by(bin, [&] { return open_opencl_context(bin, selector); });
}

void DeviceSearch::end_search(Run& run, const Found& found) {
  searching_ = false;
  problem_ = found.problem;
  if (!found.context) return;
  try {
    run.use_device(found.context);
    problem_.reset();
  } catch (const std::exception& e) {
    problem_ = e.what();
  }
}

std::string DeviceSearch::warning(const Run& run, const Settings& settings,
                                  const AdaptRules& rules) {
  if (!can_use_device(rules, run.device_only())) return {};
  const bool forced = forces_device(rules);
  if (const auto context = run.context()) {
    if (const std::string others = warn_of_kinds(*context, settings); !others.empty())
      return others;
    if (!forced) return {};
    const std::string letters = warn_of_letters(*context, *rules.allowed.mapping);
    return letters.empty() ? warn_of_stages(run, *rules.allowed.mapping) : letters;
  }
  const bool asked = forced || settings.opencl_device != "auto";
  if (!asked || !problem_ || std::exchange(warned_, true)) return {};
  return "There is no OpenCL device to use, so the CPU computes all stages: " + *problem_;
}

// Devices that were named and are not used; once.
std::string DeviceSearch::warn_of_kinds(const opencl::Context& context, const Settings& settings) {
  if (context.left_out().empty() || settings.opencl_device == "all" || std::exchange(warned_, true))
    return {};
  std::string others;
  for (const std::string& name : context.left_out()) others += (others.empty() ? "" : ", ") + name;
  return "tandembin uses at most " + std::to_string(opencl::kMostDevices) + " OpenCL devices of " +
         std::to_string(opencl::kMostKinds) + " kinds; not used: " + others + ".";
}

// Letters of a mapping that stand for no device; once a mapping.
std::string DeviceSearch::warn_of_letters(const opencl::Context& context, const Mapping& mapping) {
  const auto kinds = 1 + context.further().size();
  if ((mapping.letters() >> kinds) == 0 || std::exchange(warned_mapping_, mapping) == mapping)
    return {};
  return "Mapping " + to_string(mapping) + " has letters for more kinds of devices than the " +
         std::to_string(kinds) +
         " in use, so the CPU computes those stages. Set opencl-device to several, as in A,B.";
}

// Stages that a mapping has on the device although no device can compute them; once a mapping.
std::string DeviceSearch::warn_of_stages(const Run& run, const Mapping& mapping) {
  if (std::exchange(warned_mapping_, mapping) == mapping) return {};
  std::string stages;
  for (int k = 0; k < run.stages(); ++k) {
    if (mapping.on_device(k) && (run.cpu_only() >> k & 1) != 0)
      stages += (stages.empty() ? "" : ", ") + run.adapter(k).name();
  }
  if (stages.empty()) return {};
  return "The mapping puts stages on the device that have no OpenCL implementation, so the CPU "
         "computes them: " +
         stages + ".";
}

}  // namespace tandem::bin
