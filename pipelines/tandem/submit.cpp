// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cinttypes>
#include <cstdio>
#include <map>

#include "files/terminal_text.h"
#include "gst/publish/location.h"
#include "pipelines/jobs/gather/gathered_video.h"
#include "pipelines/jobs/job_properties.h"
#include "pipelines/jobs/parts/parts.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/jobs/worker/input_guard.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/input/input_uri.h"
#include "pipelines/tandem/input/truncated_file.h"
#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/options/queue_options.h"

namespace tandem {
namespace {

constexpr double kPart_s = 60;

struct SubmitSettings {
  QueueOptions queue;
  std::vector<std::string> videos;
  std::string application;
  std::map<std::string, std::string> properties;
  double part_s = kPart_s;
};

SubmitSettings parse_submit_settings(const std::vector<std::string>& arguments) {
  SubmitSettings settings;
  OptionParser parser(
      "submit",
      "Puts videos into a queue, from which `tandem worker` takes them (docs/many-machines.md).\n"
      "Workers read each video by the same name: give files that all machines have, or URIs.\n"
      "The applications:\n" +
          list_applications());
  parser.add("application", settings.application, "NAME",
             "the application that analyses the videos");
  settings.queue.add_to(parser);
  parser.add(
      "part", settings.part_s, "SECONDS",
      "least duration of a job: videos are cut before key frames; 0: do not cut (default: 60). "
      "Videos for tracking are never cut, because it follows corners from frame to frame");
  for (const JobProperty& property : job_properties())
    parser.add(property.name, settings.properties[property.name], property.argument, property.help);
  parser.add_operands(settings.videos, "VIDEO...");
  parser.parse(arguments);
  std::erase_if(settings.properties, [](const auto& one) { return one.second.empty(); });
  if (settings.application.empty())
    throw UsageError(
        "submit needs an application, as in: tandem submit --application vivid gate.mp4\n"
        "The applications:\n" +
        list_applications());
  const auto model = settings.properties.find("model");
  check_model(find_application(settings.application),
              model == settings.properties.end() ? "" : model->second);
  if (settings.videos.empty()) throw UsageError("submit needs a video");
  if (settings.part_s < 0) throw UsageError("--part must not be negative");
  return settings;
}

// Throws Failure for a file that workers would not read either: a FIFO would be waited for.
void check_submitted(const std::string& uri) {
  const InputRules rules;
  InputGuard guard(rules);
  try {
    guard.check(uri);
  } catch (const Refused& refused) {
    g_printerr("tandem: warning: %s: %s. %s\n", terminal_text(without_password(uri)).c_str(),
               refused.what(), refused.advice.c_str());
  }
}

VideoIndex index_for(const SubmitSettings& settings, const std::string& uri) {
  check_submitted(uri);
  if (const std::string missing = truncation_text(uri); !missing.empty()) {
    g_printerr("tandem: warning: %s is cut short: %s\n",
               terminal_text(without_password(uri)).c_str(), missing.c_str());
  }
  VideoIndex index;
  if (frames_are_independent(settings.application) && settings.part_s > 0) return index_video(uri);
  check_video(uri);
  if (!frames_are_independent(settings.application))
    index.why_whole = settings.application + " follows objects from frame to frame";
  return index;
}

void submit(const SubmitSettings& settings, SubmitQueue& queue, const std::string& uri,
            const VideoIndex& index) {
  const Video video = queue.submit({uri, settings.application, settings.properties},
                                   cut(index, static_cast<uint64_t>(settings.part_s * 1e9)));
  std::printf("video %" PRIu64 ": %s, %zu job%s, results in %s\n", video.number,
              terminal_text(without_password(uri)).c_str(), video.parts.size(),
              video.parts.size() == 1 ? "" : "s", terminal_text(results_file_name(video)).c_str());
  if (!index.why_whole.empty() && settings.part_s > 0)
    std::printf("  one job: %s\n", index.why_whole.c_str());
  std::fflush(stdout);
}

}  // namespace

int submit_command(const std::vector<std::string>& arguments) {
  const SubmitSettings settings = parse_submit_settings(arguments);
  const RedisSettings redis = settings.queue.settings("submit-" + process_name());
  gst_init(nullptr, nullptr);
  std::vector<std::string> uris;
  for (const std::string& video : settings.videos) uris.push_back(input_uri(video));
  // A mistake is found here rather than by every worker.
  const JobSetup setup = set_up({uris[0], settings.application, settings.properties}, {});
  gst_object_unref(gst_object_ref_sink(make_tandembin(setup.bin)));
  try {
    SubmitQueue queue(redis);
    // All are looked at before the first one is submitted: a wrong one leaves none behind.
    std::vector<VideoIndex> indexes;
    for (const std::string& uri : uris) indexes.push_back(index_for(settings, uri));
    for (std::size_t i = 0; i < uris.size(); ++i) submit(settings, queue, uris[i], indexes[i]);
  } catch (const RedisError& e) {
    throw Failure(std::string("the queue cannot be used: ") + e.what());
  }
  return 0;
}

}  // namespace tandem
