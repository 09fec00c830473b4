// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather/gather.h"

#include <cstdio>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/queue_options.h"
#include "pipelines/tandem/output/output_file.h"

namespace tandem {

int gather_command(const std::vector<std::string>& arguments) {
  GatherSettings settings;
  QueueOptions queue;
  OptionParser parser(
      "gather",
      "Writes the results of each video of a queue into a file of JSON lines, as `tandem run\n"
      "--metadata` would: in order, each frame once (docs/many-machines.md). Ctrl-C ends it; "
      "the\nsame command continues.");
  queue.add_to(parser);
  parser.add("output", settings.folder, "FOLDER", "where to write NUMBER-VIDEO.jsonl", 'o');
  parser.add("follow", settings.follow, "wait for further videos when all are gathered");
  parser.parse(arguments);
  if (settings.folder.empty())
    throw UsageError("gather needs a folder, as in: tandem gather --output results");
  check_output_folder("--output", settings.folder);
  settings.name = "gather-" + process_name();
  settings.redis = queue.settings(settings.name);
  const GatherEnd end = gather(settings);
  if (end == GatherEnd::kAll) return 0;
  if (end == GatherEnd::kInterrupted) return kInterruptedStatus;
  std::fputs(
      "tandem: not all videos were gathered: jobs failed, or entries are damaged (see above). "
      "`tandem jobs` lists the failures, `tandem jobs --retry` tries again.\n",
      stderr);
  return 1;
}

}  // namespace tandem
