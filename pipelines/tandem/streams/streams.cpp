// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/streams/streams.h"

#include "files/regular_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/streams/gunzip.h"

namespace tandem {
namespace {

constexpr std::size_t kMostBytes = 256 << 20;

constexpr std::pair<std::string_view, int (*)(const std::vector<std::string>&)> kActions[] = {
    {"measure", streams_measure},
    {"train", streams_train},
    {"evaluate", streams_evaluate},
    {"suggest", streams_suggest},
};

}  // namespace

streams::SampleTable read_sample_file(const std::string& path) {
  const RegularFile file = read_regular_file(path, kMostBytes);
  if (!file.problem.empty()) throw Failure("'" + path + "' " + file.problem);
  try {
    return streams::read_samples(is_gzip(file.bytes) ? gunzip(file.bytes, kMostBytes) : file.bytes);
  } catch (const std::exception& error) {
    throw Failure("'" + path + "': " + error.what(),
                  "This command reads what `tandem streams measure` writes.");
  }
}

int streams_command(const std::vector<std::string>& arguments) {
  for (const auto& [name, action] : kActions)
    if (!arguments.empty() && arguments.front() == name)
      return action({arguments.begin() + 1, arguments.end()});
  std::vector<std::string> words, names;
  OptionParser parser("streams",
                      "Learns for stage files how many partitions of a device and how many tasks "
                      "are fastest (docs/streams.md). `tandem streams measure --help` lists the "
                      "options of an action.\n\n"
                      "  measure       time partitions and tasks of stage files\n"
                      "  train         make a model of what was measured\n"
                      "  evaluate      compare the model with rivals on programs left out\n"
                      "  suggest       suggest the tasks and partitions of a stage file");
  parser.add_operands(words, "measure|train|evaluate|suggest");
  parser.parse(arguments);
  if (words.empty())
    throw UsageError("streams needs an action, as in: tandem streams measure FOLDER");
  for (const auto& [name, action] : kActions) names.emplace_back(name);
  throw UsageError("streams cannot '" + words.front() + "'" + did_you_mean(words.front(), names));
}

}  // namespace tandem
