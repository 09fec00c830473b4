// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/train.h"

#include <chrono>
#include <cstdio>
#include <set>

#include "files/regular_file.h"
#include "files/replace_file.h"
#include "pipelines/progress.h"
#include "pipelines/streams/stream_model_file.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/streams/streams.h"

namespace tandem {
namespace {

StreamModelFile file_of(const streams::SampleTable& table, const streams::Samples& samples) {
  StreamModelFile file{.origin = table.origin, .samples = static_cast<int>(samples.size())};
  std::set<std::pair<int, int>> seen;
  for (const streams::Sample* sample : samples)
    for (const streams::Timing& t : sample->grid)
      if (seen.emplace(t.partitions, t.tasks).second)
        file.candidates.push_back({t.partitions, t.tasks});
  return file;
}

}  // namespace

int streams_train(const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  std::string output;
  streams::TrainOptions options;
  int seed = 1;
  OptionParser parser("streams train",
                      "Learns a model from the table of `tandem streams measure`: it estimates the "
                      "speed-up of partitions and tasks from features of a stage file "
                      "(docs/streams.md).");
  parser.add("output", output, "FILE", "the model (JSON)", 'o');
  parser.add("seed", seed, "N", "start of the networks' random weights (default: 1)");
  parser.add("networks", options.networks, "N", "networks whose mean is the estimate (default: 9)");
  parser.add_operands(inputs, "SAMPLES.json");
  parser.parse(arguments);
  if (inputs.size() != 1)
    throw UsageError("train needs one table, as in: tandem streams train h200.json -o model.json");
  if (output.empty()) throw UsageError("--output FILE is missing: name the model to write");
  if (options.networks < 1) throw UsageError("--networks is below 1");
  if (seed < 1) throw UsageError("--seed is below 1");
  claim_input(inputs[0]);
  check_output_file("--output", output);
  options.network.seed = static_cast<uint64_t>(seed);
  const streams::SampleTable table = read_sample_file(inputs[0]);
  const streams::Samples samples = streams::measured(table);
  const auto begin = std::chrono::steady_clock::now();
  StreamModelFile file = file_of(table, samples);
  try {
    file.model = streams::train_model(samples, options);
  } catch (const std::runtime_error& error) {
    throw Failure("'" + inputs[0] + "' " + error.what());
  }
  const std::string text = write_stream_model(file);
  const std::string problem = replace_file(output, text, Durable::kNo);
  if (!problem.empty()) throw Failure("'" + output + "' " + problem);
  if (write_stream_model(read_model_file(output)) != text)
    throw Failure("'" + output + "' does not hold the written text");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::printf("%s: %zu features of %zu samples on %s, %zu bytes, after %s\n", output.c_str(),
              file.model.features.size(), samples.size(), table.origin.device.c_str(), text.size(),
              clock_time(time.count()).c_str());
  return 0;
}

StreamModelFile read_model_file(const std::string& path) {
  const RegularFile file = read_regular_file(path, kMostStreamModelBytes);
  if (!file.problem.empty()) throw Failure("'" + path + "' " + file.problem);
  try {
    return read_stream_model(file.bytes);
  } catch (const std::exception& error) {
    throw Failure("'" + path + "': " + error.what(),
                  "This command reads what `tandem streams train` writes.");
  }
}

}  // namespace tandem
