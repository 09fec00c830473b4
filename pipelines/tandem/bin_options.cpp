// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/bin_options.h"

namespace tandem {

const Application* take_application(std::vector<std::string>& arguments,
                                    const std::string& command) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) return nullptr;
  if (arguments.empty() || arguments[0].starts_with("-")) {
    throw UsageError(command + " needs an application first, as in: tandem " + command +
                     " vivid\nThere are:\n" + list_applications());
  }
  const Application& application = find_application(arguments[0]);
  arguments.erase(arguments.begin());
  return &application;
}

void add_model_options(OptionParser& parser, BinSettings& settings) {
  parser.add("scales", settings.scales, "N",
             "levels of the image pyramid (0: all that hold a person; default of bench: 1)");
  parser.add("iterations", settings.iterations, "N",
             "how often srad smooths a frame (default: 20, of bench: 1); steps of tracking");
  parser.add("model", settings.model, "FILE", "the trained detector");
  parser.add("opencl-device", settings.opencl_device, "NAME",
             "`auto`, `any`, or part of a device's name");
  parser.add("cores", settings.cores, "N", "CPU cores to use (default: the physical ones)");
  parser.add("metric", settings.metric, "throughput|energy|efficiency|edp",
             "what tandembin optimises (default: throughput); bench takes several, as in a,b");
  parser.add("energy-source", settings.energy_source, "NAME",
             "`auto`, `none`, `rapl`, `pcm`, `nvml` or `model:...`");
}

void add_configuration_options(OptionParser& parser, BinSettings& settings) {
  parser.add("threshold", settings.threshold, "T", "least confidence of a detection");
  parser.add("device", settings.device, "auto|cpu|opencl",
             "cpu: never the device; opencl: every stage may use it");
  parser.add("mapping", settings.mapping, "LETTERS", "c or g for each stage, as in gcc");
  parser.add("granularity", settings.granularity, "cg|mg",
             "a frame a core, or all cores on a frame");
  parser.add("threads", settings.threads, "N", "frames at a time in coarse grain");
  parser.add("adapt", settings.adapt, "off|caps|drift|both",
             "when to look for a better configuration (default: both)");
  parser.add("max-overhead", settings.max_overhead, "SHARE",
             "of the time that looking may cost (default: 0.05)");
  parser.add("target-fps", settings.target_fps, "F", "least energy that reaches this rate");
  parser.add("power-budget", settings.power_budget, "W", "most throughput within these watts");
  parser.add("stages", settings.stages, "LAUNCH", "other stages for tandembin");
}

}  // namespace tandem
