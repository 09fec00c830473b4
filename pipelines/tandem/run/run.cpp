// SPDX-License-Identifier: LGPL-2.1-or-later
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "pipelines/formatted.h"
#include "pipelines/progress.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/input/input_uri.h"
#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/input/truncated_file.h"
#include "pipelines/tandem/options/bin_options.h"
#include "pipelines/tandem/output/encoding.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/outputs.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/output/video_file.h"
#include "pipelines/tandem/pipeline/end_guard.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/run/bin_text.h"
#include "pipelines/tandem/run/frame_log.h"
#include "scheduler/flow/intervals.h"

namespace tandem {
namespace {

constexpr uint64_t kPictureEvery = 100;
constexpr Size kPatternSize{640, 480};
constexpr uint64_t kPatternFrames = 300;

struct RunSettings {
  const Application* application = nullptr;
  std::string input, uri;            // uri: empty for a moving pattern
  std::vector<Size> sizes;           // empty: as the input is
  std::vector<double> first_scales;  // one for each size
  uint64_t segment_frames = 0;       // frames of each size
  uint64_t frames = 0;               // 0: all
  std::string output, metadata, pictures;
  std::optional<Size> output_size;
  bool show = false, verbose = false, track = false;
  BinSettings bin;

  uint64_t frame_limit() const {
    const uint64_t in_segments = segment_frames * sizes.size();
    if (frames == 0 || in_segments == 0) return frames + in_segments;
    return std::min(frames, in_segments);
  }
};

RunSettings parse_run_settings(std::vector<std::string> arguments) {
  RunSettings settings;
  settings.application = take_application(arguments, "run");
  std::string sizes, output_size, first_scales;
  std::optional<int> frames, segment_frames, interval;
  OptionParser parser("run APPLICATION",
                      "Analyses a video. Ctrl-C ends early and keeps the files usable.\n"
                      "The applications:\n" +
                          list_applications());
  parser.add("input", settings.input, "FILE|URI|camera",
             "the video (default: vtest.avi of opencv-doc, else a moving pattern)");
  parser.add("size", sizes, "WxH[,WxH...]", "scale to this size, or to several in turn");
  parser.add("segment-frames", segment_frames, "N", "frames of each size, when there are several");
  parser.add("frames", frames, "N", "stop after N frames");
  parser.add("output", settings.output, "FILE",
             "write a video with the findings drawn (.mp4 .mkv .webm .avi .mov .ogv)");
  parser.add("output-size", output_size, "WxH", "size of the video that is written");
  parser.add("metadata", settings.metadata, "FILE",
             "write one JSON line a frame; - is standard output");
  parser.add("pictures", settings.pictures, "FOLDER",
             "write a PNG at intervals, and of the first frame with a finding");
  parser.add(
      "track", settings.track,
      "assign ids to detected objects, which stay the same from frame to frame (tandemtrack)");
  parser.add("interval", interval, "N",
             "compute each N-th frame; with --track, objects are followed in between");
  parser.add("show", settings.show, "show the video in a window");
  parser.add("verbose", settings.verbose,
             "also write configurations in short (ccc/cg2), and the trials and times of trainings");
  parser.add(
      "first-scale", first_scales, "F[,F...]",
      "vivid: shrink frames by this first (below 1 enlarges: smaller people); one for each size");
  add_model_options(parser, settings.bin, Subcommand::run);
  add_configuration_options(parser, settings.bin);
  if (settings.application) settings.bin.stages = settings.application->stages;
  parser.parse(std::move(arguments));
  if (settings.application && settings.bin.stages == settings.application->stages)
    check_model(*settings.application, settings.bin.model);

  if (!sizes.empty()) {
    for (const std::string& size : split(sizes, ','))
      settings.sizes.push_back(parse_size("size", size));
  }
  if (!output_size.empty()) settings.output_size = parse_size("output-size", output_size);
  if (!first_scales.empty()) {
    for (const std::string& text : split(first_scales, ','))
      settings.first_scales.push_back(parse_positive("first-scale", text));
  }
  settings.frames = at_least("frames", frames, 1, 0);
  settings.segment_frames = at_least("segment-frames", segment_frames, 1, 0);
  if (interval) {
    if (*interval > Intervals::kMost)
      throw UsageError("--interval: " + std::to_string(*interval) + " is above " +
                       std::to_string(Intervals::kMost));
    const std::string text = " interval=" + std::to_string(at_least("interval", interval, 1, 1));
    std::string& stages = settings.bin.stages;
    const std::size_t end = std::min(stages.find('!'), stages.size());
    stages.insert(end, text + (end < stages.size() ? " " : ""));  // the others read what it makes
  }
  return settings;
}

// Something to begin with, when the command line names no video.
void choose_input(RunSettings& settings) {
  settings.input = demo_video();
  if (!settings.input.empty()) {
    settings.uri = input_uri(settings.input);
    std::printf("no --input: using %s\n", settings.input.c_str());
    return;
  }
  settings.input = "a moving pattern";
  if (settings.sizes.empty()) settings.sizes = {kPatternSize};
  if (settings.frame_limit() == 0) settings.frames = kPatternFrames;
  std::printf("no --input: using a moving pattern, %" PRIu64
              " frames (the Debian package opencv-doc has a video of people, vtest.avi)\n",
              settings.frame_limit());
}

void check(RunSettings& settings, const std::optional<TextOutput>& metadata) {
  const bool own_stages = settings.bin.stages != settings.application->stages;
  if (settings.track && !own_stages && !settings.application->finds_objects) {
    throw UsageError(std::string("--track assigns ids to objects, and '") +
                     settings.application->name + "' detects none: use it with vivid or network");
  }
  const std::size_t sizes = settings.sizes.size();
  if (sizes > 1 && settings.segment_frames == 0) {
    throw UsageError("--size with several sizes needs --segment-frames");
  }
  const std::size_t scales = settings.first_scales.size();
  if (scales > 1 && scales != sizes) {
    throw UsageError("--first-scale needs one value, or one for each --size");
  }
  if (scales > 0) settings.bin.first_scale = settings.first_scales.front();
  if (settings.input.empty()) {
    choose_input(settings);
  } else {
    settings.uri = input_uri(settings.input);
  }
  if (!settings.output.empty()) {
    check_output_file("--output", settings.output);
    check_keeps_input("--output", settings.output, settings.uri);
    encoding_for(settings.output);
    check_can_stream("--output", settings.output);
  }
  if (metadata && !metadata->is_standard_output()) {
    check_keeps_input("--metadata", settings.metadata, settings.uri);
  }
  settings.uri = open_fifo(settings.uri);
  if (!settings.pictures.empty()) check_output_folder("--pictures", settings.pictures);
}

// Before the analysis is stopped, however that comes about: it may wait for an output.
struct Abandoning {
  Outputs& outputs;
  ~Abandoning() { outputs.abandon(); }
};

// tandembin lets new caps into its stages when the frames before them have left: there the next
// part's first scale touches no frame of this one.
void change_first_scales(GstElement* bin, const std::vector<double>& scales,
                         const std::atomic<std::size_t>& segment) {
  if (scales.size() < 2) return;
  // Set each once: a value that cannot be is found here rather than in mid-stream.
  for (auto scale = scales.rbegin(); scale != scales.rend(); ++scale) {
    set_stage_property(bin, "--first-scale", "first-scale", to_text(*scale));
  }
  before_stage_caps(bin, "first-scale", [bin, scales, &segment] {
    set_stage_property(bin, "--first-scale", "first-scale", to_text(scales[segment]));
  });
}

// A terminal may cut off the end: what runs comes last.
std::string progress_text(const FrameLog::Count& count, GstElement* pipeline,
                          const std::string& activity, uint64_t frame_limit) {
  const double fps = count.seconds > 0 ? (count.frames - 1) / count.seconds : 0;
  const std::string frames = formatted("%" PRIu64 " frames, %.1f frames/s, ", count.frames, fps) +
                             count.found + ", " + activity;
  double done = 0;
  gint64 duration = 0;
  if (frame_limit > 0) done = static_cast<double>(count.frames) / frame_limit;
  if (gst_element_query_duration(pipeline, GST_FORMAT_TIME, &duration) && duration > 0 &&
      GST_CLOCK_TIME_IS_VALID(count.position)) {
    done = std::max(done, static_cast<double>(count.position) / duration);
  }
  if (done <= 0) return frames;
  done = std::min(done, 1.0);
  return formatted("%.0f%%, %s left: ", 100 * done,
                   clock_time(count.seconds * (1 - done) / done).c_str()) +
         frames;
}

void print_part(const LoggedPart& part, bool verbose) {
  const double fps = part.seconds > 0 ? part.frames / part.seconds : 0;
  std::printf("%s: %" PRIu64 " frames in %.1f s (%.1f frames/s)", to_string(part.size).c_str(),
              part.frames, part.seconds, fps);
  std::puts(part.found.empty() ? "" : (", " + part.found).c_str());
  std::printf("  %s; frames on CPU/device:", status_summary(part.stats, verbose).c_str());
  const char* separator = "";
  for (const StageCount& stage : part.stats.stages) {
    std::printf("%s %s %" PRIu64 "/%" PRIu64, separator, stage.name.c_str(), stage.cpu_frames,
                stage.device_frames);
    separator = ",";
  }
  std::puts("");
}

void print_pictures(const LoggedPart& part, const std::string& folder) {
  std::printf("  %" PRIu64 " picture%s in '%s'%s\n", part.pictures, part.pictures == 1 ? "" : "s",
              folder.c_str(), part.found_any ? "" : ": nothing was found in any frame");
}

int run(const RunSettings& settings, TextOutput* metadata) {
  // Declared before the pipeline: its streaming threads use these until they are stopped.
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> segment{0};
  std::unique_ptr<FrameLog> log;
  std::optional<VideoFile> file;
  if (!settings.output.empty()) {
    file.emplace(settings.output, encoding_for(settings.output), settings.output_size);
  }
  Outputs outputs(file ? &*file : nullptr, settings.show,
                  !settings.metadata.empty() || !settings.pictures.empty());
  Pipeline pipeline(gst_pipeline_new("run"));
  const Abandoning abandoning{outputs};
  const auto first_size = settings.sizes.empty() ? std::nullopt : std::optional(settings.sizes[0]);
  GstElement* source = pipeline.add(settings.uri.empty() ? make_test_source(*first_size)
                                                         : make_source(settings.uri, first_size));
  GstElement* bin = pipeline.add(make_tandembin(settings.bin));
  if (!settings.output.empty()) check_keeps_files_of("--output", settings.output, GST_BIN(bin));
  if (metadata && !metadata->is_standard_output())
    check_keeps_files_of("--metadata", settings.metadata, GST_BIN(bin));
  const bool draw = !settings.output.empty() || settings.show || !settings.pictures.empty();
  GstElement* last = bin;
  const auto append = [&](const char* element) {
    GstElement* const added = pipeline.add(make_element(element));
    Pipeline::link(std::exchange(last, added), added);
  };
  Pipeline::link(source, bin);
  if (settings.track) append("tandemtrack");
  if (draw) append("tandemoverlay");
  GstElement* sink = pipeline.add(make_element("fakesink"));
  g_object_set(sink, "sync", FALSE, nullptr);
  Pipeline::link(last, sink);

  change_first_scales(bin, settings.first_scales, segment);
  const uint64_t limit = settings.frame_limit();
  watch_source(source, [&, limit](uint64_t frame) {
    if (stop || (limit > 0 && frame >= limit)) return false;
    if (settings.segment_frames == 0 || frame % settings.segment_frames != 0) return true;
    segment = frame / settings.segment_frames;
    if (segment > 0) set_source_size(source, settings.sizes[segment]);
    return true;
  });
  const uint64_t picture_every =
      settings.segment_frames ? (settings.segment_frames + 1) / 2 : kPictureEvery;
  log = std::make_unique<FrameLog>(FrameLog::Settings{metadata, settings.pictures, picture_every},
                                   bin, settings.application->make_summary);
  const ObjectRef<GstPad> out(gst_element_get_static_pad(last, "src"));
  log->watch(out.get());
  outputs.take_from(out.get());

  ProgressLine progress;
  StatusText activity(settings.verbose);
  double max_overhead = 0;
  g_object_get(bin, "max-overhead", &max_overhead, nullptr);
  const auto interrupt = [&] {
    stop = true;
    gst_element_send_event(pipeline.get(), gst_event_new_eos());
  };
  std::string metadata_problem;  // told already
  const auto tell_metadata_problem = [&](const std::string& problem) {
    if (problem.empty() || !metadata_problem.empty()) return;
    metadata_problem = problem;
    progress.clear();
    std::fprintf(stderr, "tandem: %s%s\n", problem.c_str(), draw ? "; the video continues" : "");
  };
  const auto tick = [&] {
    tell_metadata_problem(log->metadata_problem());
    if (!metadata_problem.empty() && !draw && !stop) interrupt();  // nothing is left to write
    // Frames under way are of no more use.
    if (!outputs.report_failures())
      gst_element_post_message(pipeline.get(), gst_message_new_eos(GST_OBJECT(pipeline.get())));
    const FrameLog::Count count = log->count();
    if (count.frames == 0) return;
    progress.show(
        progress_text(count, pipeline.get(), activity.text(read_stats(bin), count.seconds), limit));
  };
  const auto decided = [&](const GstStructure* structure) {
    const std::string text = decision_text(structure, max_overhead);
    if (text.empty()) return;
    progress.clear();
    std::printf("%7.1f s  %s\n", log->count().seconds, text.c_str());
    if (settings.verbose) std::printf("  %s\n", short_text(structure).c_str());
    for (const std::string& training : {trials_text(structure), training_text(structure)})
      if (settings.verbose && !training.empty()) std::puts(training.c_str());
    const bool nobody_reads = std::fflush(stdout) != 0;
    if (nobody_reads && !draw && !metadata && !stop) interrupt();
  };
  const auto progress_made = [&] { return log->count().frames + outputs.written(); };
  const Ended ended = play(pipeline, settings.input, {tick, interrupt, decided, progress_made});
  progress.clear();
  tell_metadata_problem(log->metadata_problem());
  // The thread that writes may be in the middle of it otherwise.
  if (metadata && ended != Ended::at_once) tell_metadata_problem(metadata->close());
  if (!outputs.report_failures() && ended == Ended::by_itself && outputs.failure())
    throw *outputs.failure();
  const std::vector<LoggedPart> parts = log->parts();
  if (parts.empty() && ended == Ended::by_itself)
    throw Failure("no frame of video came out of '" + settings.input + "'");
  for (const LoggedPart& part : parts) {
    print_part(part, settings.verbose);
    if (!settings.pictures.empty()) print_pictures(part, settings.pictures);
  }
  if (ended != Ended::by_itself) std::puts("ended early");
  // An output to which no frame came before the interruption ends with an error of no use.
  if (outputs.failure() && !parts.empty()) throw *outputs.failure();
  if (ended == Ended::at_once) {
    for (const std::string& what : EndGuard::start().take_unfinished())
      std::fprintf(stderr, "tandem: %s is not complete\n", what.c_str());
    std::fflush(stdout);  // what follows may be ended
  } else if (file) {
    outputs.stop();
    // To read a long video again would take longer than somebody waits who has interrupted.
    if (ended == Ended::by_itself) file->check();
  }
  if (ended != Ended::by_itself) return kInterruptedStatus;
  if (outputs.is_closed()) {
    std::puts("ended early: the window was closed");
    return 0;
  }
  const bool at_limit = limit > 0 && log->count().frames >= limit;
  const std::string missing = at_limit ? "" : truncation_text(settings.uri);
  if (!missing.empty())
    throw Failure("'" + settings.input + "' is cut short: " + missing, "The rest was analysed.");
  return metadata_problem.empty() ? 0 : 1;
}

}  // namespace

int run_command(const std::vector<std::string>& arguments) {
  RunSettings settings = parse_run_settings(arguments);
  gst_init(nullptr, nullptr);
  EndGuard::start();
  std::optional<TextOutput> metadata;  // before the first message
  if (!settings.metadata.empty()) metadata.emplace("--metadata", settings.metadata);
  g_set_application_name("Tandem");  // the title of the window
  check(settings, metadata);
  return run(settings, metadata ? &*metadata : nullptr);
}

}  // namespace tandem
