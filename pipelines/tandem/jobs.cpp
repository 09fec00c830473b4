// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>

#include "pipelines/jobs/queue_summary.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/queue_options.h"

namespace tandem {

int jobs_command(const std::vector<std::string>& arguments) {
  QueueOptions queue;
  bool json = false, retry = false;
  OptionParser parser("jobs",
                      "Shows the progress of a queue: videos, jobs, frames, workers and failures\n"
                      "(docs/many-machines.md).");
  queue.add_to(parser);
  parser.add("json", json, "as JSON");
  parser.add("retry", retry,
             "put failed jobs into the queue again, and remove entries that are not jobs");
  parser.parse(arguments);
  const RedisSettings settings = queue.settings("jobs-" + process_name());
  try {
    if (retry) {
      std::printf("%zu jobs are tried again\n", retry_failed(settings));
      return 0;
    }
    const QueueState state = read_queue_state(settings);
    const QueueSummary summary = summarise(state);
    std::fputs((json ? status_json : status_text)(state, summary).c_str(), stdout);
  } catch (const RedisError& e) {
    throw Failure(std::string("the queue cannot be used: ") + e.what());
  }
  return 0;
}

}  // namespace tandem
