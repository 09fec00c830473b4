// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/options/bin_options.h"

namespace tandem {

const Application* take_application(std::vector<std::string>& arguments,
                                    const std::string& command) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h")) return nullptr;
  if (arguments.empty() || arguments[0].starts_with("-")) {
    throw UsageError(command + " needs an application first, as in: tandem " + command +
                     " vivid\nThe applications:\n" + list_applications());
  }
  const Application& application = find_application(arguments[0]);
  arguments.erase(arguments.begin());
  return &application;
}

void add_model_options(OptionParser& parser, BinSettings& settings, Subcommand command) {
  const bool run = command == Subcommand::run;
  parser.add("scales", settings.scales, "N",
             run ? "vivid: levels of the image pyramid (default: 0, all that hold a person)"
                 : "vivid: levels of the image pyramid; 0: all that hold a person (default: 1)");
  parser.add("iterations", settings.iterations, "N",
             run ? "srad: iterations of the smoothing (default: 20); tracking: most steps towards "
                   "a feature's new place (default: 0, by the size of the frame)"
                 : "srad: iterations of the smoothing (default: 1); tracking: most steps towards "
                   "a feature's new place (default: 0, by the size of the frame)");
  parser.add("model", settings.model, "FILE",
             "vivid: a detector that train-detector made; scene: a classifier that train-scenes "
             "made (default: the one that comes with Tandem); network: an ONNX file");
  add_machine_options(parser, settings, command);
}

void add_machine_options(OptionParser& parser, BinSettings& settings, Subcommand command) {
  const bool run = command == Subcommand::run;
  parser.add("opencl-device", settings.opencl_device, "NAME",
             "`auto` (never a CPU, the default), `any`, or part of a device's name; `A,B` or `all` "
             "for several devices");
  parser.add("cores", settings.cores, "N", "CPU cores to use (default: the physical ones)");
  parser.add("metric", settings.metric, run ? "NAME" : "NAME[,NAME...]",
             run ? "objective of tandembin: throughput (default), energy, efficiency, edp or "
                   "latency"
                 : "objective of tandembin: throughput (default), energy, efficiency, edp or "
                   "latency; for each of several there is a table");
  parser.add("target-latency", settings.target_latency, "MS",
             "most throughput such that 95 of 100 frames take less than this from pad to pad");
  parser.add("energy-source", settings.energy_source, "NAME",
             "`auto` (default), `none`, `rapl`, `pcm`, `nvml` or `model:...` (docs/energy.md)");
  parser.add("knowledge", settings.knowledge, "auto|read-only|off|DIR",
             run ? "where measurements are stored for later runs (default: auto, in your cache)"
                 : "where measurements are stored for later runs (default: off)");
}

void add_configuration_options(OptionParser& parser, BinSettings& settings) {
  parser.add("threshold", settings.threshold, "T",
             "vivid and network: least confidence of a detection, 0 to 1 (default: 0.5)");
  add_speed_options(parser, settings);
  parser.add(
      "stages", settings.stages, "LAUNCH",
      "other stages for tandembin, as in \"vividfilter ! vividhistogram ! vividclassifier\"");
}

void add_speed_options(OptionParser& parser, BinSettings& settings) {
  parser.add("device", settings.device, "auto|cpu|opencl",
             "cpu: never the device; opencl: every stage may use it (default: auto)");
  parser.add(
      "mapping", settings.mapping, "LETTERS",
      "for each stage c (CPU), g (may use the device) or s (both, each some of the rows), as "
      "in gcc");
  parser.add("granularity", settings.granularity, "cg|mg",
             "cg: a frame a core; mg: all cores on a frame");
  parser.add("threads", settings.threads, "N", "frames at a time in coarse grain (cg)");
  parser.add("lanes", settings.lanes, "S", "frames on the device at a time (default: measured)");
  parser.add(
      "split", settings.split, "N|auto|off",
      "percent of the rows that the CPU computes of stages with an s; off: no frame is split "
      "(default: auto, measured)");
  parser.add("adapt", settings.adapt, "off|caps|drift|both",
             "when to search for a better configuration (default: both)");
  parser.add("max-overhead", settings.max_overhead, "SHARE",
             "share of the time that this search may cost (default: 0.05)");
  parser.add("target-fps", settings.target_fps, "F", "least energy that reaches F frames a second");
  parser.add("power-budget", settings.power_budget, "W", "most throughput within these watts");
}

}  // namespace tandem
