// SPDX-License-Identifier: LGPL-2.1-or-later
#include <glib.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "files/error_text.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

constexpr int kUsageStatus = 2;

struct Command {
  std::string_view name;
  const char* summary;
  int (*main)(const std::vector<std::string>& arguments);
};

constexpr Command kCommands[] = {
    {"run", "analyse a video and write the findings", run_command},
    {"bench", "measure every configuration", bench_command},
    {"report", "draw the results of bench as a page", report_command},
    {"train-detector", "make a detector from photographs with boxes", train_detector_command},
    {"evaluate-detector", "measure a detector", evaluate_detector_command},
    {"train-scenes", "make a scene classifier from pictures", train_scenes_command},
    {"evaluate-scenes", "measure a scene classifier", evaluate_scenes_command},
    {"evaluate-tracks", "measure how well objects kept their ids", evaluate_tracks_command},
    {"inspect-model", "show a network and the time of each step", inspect_model_command},
    {"new-stage", "write a stage file to start from", new_stage_command},
    {"generate", "make a stage file of parallel C loops", generate_command},
    {"check-stage", "compare the two sides of a stage file", check_stage_command},
    {"streams", "learn how many tasks and partitions stage files need", streams_command},
    {"knowledge", "show and change the knowledge of earlier runs", knowledge_command},
    {"submit", "put videos into a queue, for the workers of many machines", submit_command},
    {"worker", "take jobs from a queue and analyse them", worker_command},
    {"gather", "write the results of a queue's videos into files", gather_command},
    {"jobs", "show the progress and the failures of a queue", jobs_command},
    {"doctor", "show what this machine offers and what is missing", doctor_command},
};

void print_help() {
  std::puts("usage: tandem COMMAND [OPTION...]\n");
  for (const Command& command : kCommands) {
    std::printf("  %-18s %s\n", command.name.data(), command.summary);
  }
  std::puts(
      "\n`tandem COMMAND --help` lists a command's options; `tandem --version` prints the "
      "version.");
}

const Command* find_command(const std::string& name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == std::end(kCommands) ? nullptr : &*found;
}

int dispatch(const std::string& name, const std::vector<std::string>& arguments) {
  if (const Command* command = find_command(name)) {
    g_set_prgname(("tandem " + name).c_str());
    return command->main(arguments);
  }
  std::vector<std::string> names = {"help"};
  for (const Command& command : kCommands) names.emplace_back(command.name);
  throw UsageError("unknown command '" + name + "'" + did_you_mean(name, names));
}

int tandem_main(std::vector<std::string> words) {
  if (words.empty()) {
    print_help();
    return kUsageStatus;
  }
  const std::string name = words.front();
  words.erase(words.begin());
  if (name == "--version") {
    std::puts("tandem " TANDEM_VERSION);
    return 0;
  }
  if (name == "--help" || name == "-h" || (name == "help" && words.empty())) {
    print_help();
    return 0;
  }
  try {
    if (name == "help") return dispatch(words.front(), {"--help"});
    return dispatch(name, words);
  } catch (const UsageError& e) {
    std::fprintf(stderr, "tandem: %s\nSee `tandem %s--help`.\n", e.what(),
                 find_command(name) ? (name + " ").c_str() : "");
    return kUsageStatus;
  } catch (const Failure& e) {
    std::fprintf(stderr, "tandem: %s\n", e.what());
    if (!e.advice.empty()) std::fprintf(stderr, "%s\n", e.advice.c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tandem: %s\n", error_text(e).c_str());
  }
  return 1;
}

// Returns whether all output was written. A reader that has left needs no message.
bool flush_messages() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) == 0 && !failed_before) return true;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  const bool reader_left = poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
  if (!reader_left)
    std::fputs("tandem: standard output cannot be written: is its disk full?\n", stderr);
  return false;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  // A reader that leaves is an error of what it reads: files that are written beside are finished.
  std::signal(SIGPIPE, SIG_IGN);
  // Characters as the terminal shows them; numbers keep their point.
  std::setlocale(LC_CTYPE, "");
  const int status = tandem::tandem_main({argv + 1, argv + argc});
  return tandem::flush_messages() || status != 0 ? status : 1;
}
