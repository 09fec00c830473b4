// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "files/data_folder.h"
#include "pipelines/streams/measure.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/streams/streams.h"

namespace tandem {
namespace {

constexpr std::size_t kShown = 5;

// The shipped model of this device, else one of its kind.
StreamModelFile shipped_model(const opencl::DeviceDescription& device) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(data_folder()) / "models" / "streams";
  std::vector<StreamModelFile> models;
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) models.push_back(read_model_file(path.string()));
  for (const StreamModelFile& model : models)
    if (model.origin.device == device.name) return model;
  for (const StreamModelFile& model : models)
    if (model.origin.is_cpu == device.is_cpu) return model;
  throw Failure("there is no model for this kind of device in '" + folder.string() + "'",
                "Make one with `tandem streams measure` and `tandem streams train`, and name it "
                "with --model FILE.");
}

// The candidates into which the stage can be cut, and for which the device has enough cores.
std::vector<StreamCandidate> possible(const StreamModelFile& model, const StreamedStage& stage,
                                      const StreamDevice& device) {
  std::vector<StreamCandidate> candidates;
  for (const StreamCandidate& c : model.candidates)
    if (c.partitions <= device.most_partitions() &&
        stage.commands({c.partitions, c.tasks}).problem.empty())
      candidates.push_back(c);
  return candidates;
}

void print(const StreamModelFile& file, const StreamFeatures& features,
           const std::vector<StreamCandidate>& candidates) {
  const auto begin = std::chrono::steady_clock::now();
  const auto ranked = file.model.rank(features, candidates);
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  const auto components = file.model.components_of(features);
  std::printf("%10s %6s  %s\n", "partitions", "tasks", "expected, times one stream");
  for (std::size_t i = 0; i < std::min(kShown, ranked.size()); ++i)
    std::printf("%10d %6d  %.2f\n", ranked[i].partitions, ranked[i].tasks,
                file.model.speed_up(components, ranked[i]));
  std::printf("%zu settings were ranked in %.0f us\n", ranked.size(), time.count());
}

}  // namespace

int streams_suggest(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string model_path, selector = "any", size;
  OptionParser parser("streams suggest",
                      "Prints how many partitions of the device and how many tasks are best for a "
                      "stage file, from a model and a few runs with one stream (docs/streams.md).");
  parser.add("model", model_path, "FILE", "another model than the one that is installed");
  parser.add("opencl-device", selector, "NAME", "any (the default), or part of a device's name");
  parser.add("size", size, "WxH", "of frames, if the file states none (default: 1920x1080)");
  parser.add_operands(paths, "FILE.cl");
  parser.parse(arguments);
  if (paths.size() != 1)
    throw UsageError("suggest needs one stage file, as in: tandem streams suggest sobel.cl");
  const Size frame = size.empty() ? Size{1920, 1080} : parse_size("--size", size);
  const auto workload = streams::load_workload(paths[0], frame.width, frame.height);
  streams::HardwareCounters counters;
  StreamDevice device(selector);
  const opencl::DeviceDescription& description = device.description();
  const StreamModelFile file =
      model_path.empty() ? shipped_model(description) : read_model_file(model_path);
  std::printf("%s, %s, on %s\n", workload.name.c_str(), workload.data.c_str(),
              description.name.c_str());
  if (file.origin.device != description.name)
    std::printf("The model is of another device: %s\n", file.origin.device.c_str());
  StreamedStage stage(device, workload.file, workload.dependencies, workload.width,
                      workload.height);
  const StreamCommands one = stage.commands({});
  if (!one.problem.empty()) throw Failure("'" + paths[0] + "': " + one.problem);
  fill_inputs(stage, workload);
  stage.run(one, 1);  // compiles
  print(file, combined_features(workload.code, features_of_runs(stage, counters)),
        possible(file, stage, device));
  return 0;
}

}  // namespace tandem
