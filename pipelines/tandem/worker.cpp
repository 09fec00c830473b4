// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/worker.h"

#include <cstdio>

#include "files/ascii.h"
#include "files/uri_scheme.h"
#include "gst/publish/location.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/bin_options.h"
#include "pipelines/tandem/options/queue_options.h"

namespace tandem {
namespace {

std::chrono::milliseconds limit(const char* option, const std::optional<double>& seconds,
                                std::chrono::milliseconds otherwise) {
  constexpr double kLeast_s = 1, kMost_s = 86400;
  if (!seconds) return otherwise;
  if (*seconds < kLeast_s || *seconds > kMost_s)
    throw UsageError(std::string("--") + option + ": the seconds are not from 1 to 86400");
  return std::chrono::milliseconds(static_cast<int64_t>(*seconds * 1e3));
}

// "rtsps:" and "rtsps://" mean the same.
std::string allowed_scheme(const std::string& text) {
  std::string scheme = ascii_lower(text.substr(0, text.find(':')));
  if (is_uri_scheme(scheme)) return scheme;
  throw UsageError("--allow-scheme: '" + text + "' is not a scheme of URIs, such as rtsps");
}

}  // namespace

int worker_command(const std::vector<std::string>& arguments) {
  WorkerSettings settings;
  QueueOptions queue;
  std::optional<double> claim_s, stall_s;
  std::optional<int> attempts;
  std::vector<std::string> schemes;
  std::string largest;
  OptionParser parser("worker",
                      "Takes jobs that `tandem submit` put into a queue, one at a time.\n"
                      "The results go back, and `tandem gather` writes files of them\n"
                      "(docs/many-machines.md). Ctrl-C gives the job back.");
  queue.add_to(parser);
  parser.add("until-empty", settings.until_empty, "end when all jobs are done");
  parser.add("claim", claim_s, "SECONDS",
             "a worker that is silent for this time loses its job to another (default: 60); the "
             "same for all workers");
  parser.add("stall", stall_s, "SECONDS",
             "a job without a new frame for this time has failed (default: 300)");
  parser.add("attempts", attempts, "N", "a job that fails N times is set aside (default: 3)");
  parser.add("allow-scheme", schemes, "NAME",
             "read URIs of this scheme too, such as rtsps; may be repeated (default: "
             "file, http, https, rtsp)");
  parser.add(
      "largest-frame", largest, "WxH",
      "jobs with larger frames fail, because they need more memory (default: 4096x2304, up to 1.2 "
      "GB)");
  add_machine_options(parser, settings.machine, Subcommand::run);
  add_speed_options(parser, settings.machine);
  parser.parse(arguments);
  settings.rules.claim_limit = limit("claim", claim_s, settings.rules.claim_limit);
  settings.rules.stall_limit = limit("stall", stall_s, settings.rules.stall_limit);
  settings.rules.most_attempts = at_least("attempts", attempts, 1, settings.rules.most_attempts);
  for (const std::string& scheme : schemes) settings.input.schemes.insert(allowed_scheme(scheme));
  if (!largest.empty()) {
    const Size size = parse_size("largest-frame", largest);
    settings.input.most_pixels = uint64_t{1} * size.width * size.height;
  }
  settings.name = process_name();
  settings.redis = queue.settings(settings.name);
  gst_init(nullptr, nullptr);
  std::printf("worker %s of %s\n", settings.name.c_str(), settings.redis.location.shown().c_str());
  std::fflush(stdout);
  return work(settings) || !settings.until_empty ? 0 : kInterruptedStatus;
}

}  // namespace tandem
