// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/streams.h"

#include <cstdio>

#include "files/regular_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options.h"

namespace tandem {
namespace {

constexpr std::size_t kMostBytes = 256 << 20;

constexpr std::pair<std::string_view, int (*)(const std::vector<std::string>&)> kActions[] = {
    {"measure", streams_measure},
    {"train", streams_train},
    {"evaluate", streams_evaluate},
    {"suggest", streams_suggest},
};

constexpr const char* kHelp =
    "usage: tandem streams ACTION [OPTION...]\n\n"
    "Learns for stage files how many partitions of a device and how many tasks are fastest\n"
    "(docs/streams.md).\n\n"
    "  measure    time partitions and tasks of stage files\n"
    "  train      make a model of what was measured\n"
    "  evaluate   compare the model with its rivals on programs that it has not seen\n"
    "  suggest    say what is best for a stage file\n\n"
    "`tandem streams ACTION --help` lists an action's options.\n";

}  // namespace

streams::SampleTable read_sample_file(const std::string& path) {
  const RegularFile file = read_regular_file(path, kMostBytes);
  if (!file.problem.empty()) throw Failure("'" + path + "' " + file.problem);
  try {
    return streams::read_samples(file.bytes);
  } catch (const std::exception& error) {
    throw Failure("'" + path + "': " + error.what(),
                  "This command reads what `tandem streams measure` writes.");
  }
}

int streams_command(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    throw UsageError("streams needs to be told what to do, as in: tandem streams measure FOLDER");
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  std::vector<std::string> names;
  for (const auto& [known, action] : kActions) {
    if (known == name) return action({arguments.begin() + 1, arguments.end()});
    names.emplace_back(known);
  }
  throw UsageError("streams cannot '" + name + "'" + did_you_mean(name, names));
}

}  // namespace tandem
