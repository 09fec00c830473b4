// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/training/evaluation/track_file.h"

namespace tandem {
namespace {

struct TracksRequest {
  std::vector<std::string> truth, tracks;
  std::string label = "person", json;
  double min_overlap = 0.5;
};

struct TracksResult {
  std::string name;
  TrackEvaluation evaluation;
};

// Lines of JSON name frames in which nothing was found too.
bool has_no_box(const TrackFile& file) {
  return std::ranges::all_of(file.tracks, [](const auto& frame) { return frame.second.empty(); });
}

std::vector<TracksResult> results_of(const TracksRequest& request) {
  std::vector<TracksResult> results;
  TrackEvaluation sum;
  for (std::size_t i = 0; i < request.truth.size(); ++i) {
    const TrackFile truth = read_true_tracks(request.truth[i], request.label);
    TrackFile found = read_found_tracks(request.tracks[i], request.label);
    if (truth.tracks.empty())
      throw std::runtime_error("'" + request.truth[i] + "' has no box of '" + request.label + "'");
    if (has_no_box(found)) {
      std::fprintf(stderr, "tandem: '%s' has no box of '%s' with an id\n",
                   request.tracks[i].c_str(), request.label.c_str());
    }
    scale_to(truth, found);
    results.push_back(
        {request.tracks[i], evaluate_tracks(truth.tracks, found.tracks, request.min_overlap)});
    sum += results.back().evaluation;
  }
  if (results.size() > 1) results.push_back({"all", sum});
  return results;
}

void print(const std::vector<TracksResult>& results) {
  std::printf("%8s %8s %8s %8s %8s %8s %8s %8s %8s %8s  %s\n", "MOTA", "IDF1", "ID prec.",
              "ID rec.", "switches", "misses", "false", "boxes", "objects", "ids", "tracks");
  for (const auto& [name, e] : results) {
    std::printf("%8.3f %8.3f %8.3f %8.3f %8zu %8zu %8zu %8zu %8zu %8zu  %s\n", e.mota(), e.idf1(),
                e.id_precision(), e.id_recall(), e.switches, e.misses(), e.false_positives(),
                e.boxes, e.objects, e.tracks, name.c_str());
  }
}

std::string to_json(const TracksRequest& request, const std::vector<TracksResult>& results) {
  using nlohmann::ordered_json;
  ordered_json videos = ordered_json::array();
  for (const auto& [name, e] : results) {
    videos.push_back({{"tracks", name},
                      {"mota", e.mota()},
                      {"motp", e.motp()},
                      {"idf1", e.idf1()},
                      {"id_precision", e.id_precision()},
                      {"id_recall", e.id_recall()},
                      {"id_switches", e.switches},
                      {"misses", e.misses()},
                      {"false_positives", e.false_positives()},
                      {"frames", e.frames},
                      {"boxes", e.boxes},
                      {"objects", e.objects},
                      {"ids", e.tracks}});
  }
  return ordered_json{
             {"label", request.label}, {"overlap", request.min_overlap}, {"videos", videos}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         '\n';
}

TracksRequest parse_tracks_request(const std::vector<std::string>& arguments) {
  TracksRequest r;
  OptionParser parser("evaluate-tracks",
                      "Prints how well objects kept their ids: MOTA (CLEAR MOT), IDF1 and the "
                      "number of id switches.");
  parser.add("truth", r.truth, "PATH",
             "Folder of a MOTChallenge sequence, or its gt.txt; may be repeated, as often as "
             "--tracks",
             'd');
  parser.add("tracks", r.tracks, "FILE",
             "JSON lines with object_id, or a MOTChallenge text; one for each "
             "--truth",
             't');
  parser.add("label", r.label, "NAME", "Class of the objects (person)");
  parser.add("iou", r.min_overlap, "X", "Overlap with a box from which a detection is right (0.5)");
  parser.add("json", r.json, "FILE", "Write the results; - is standard output");
  parser.parse(arguments);
  if (r.truth.empty()) throw UsageError("--truth PATH is missing");
  if (r.tracks.empty()) throw UsageError("--tracks FILE is missing");
  if (r.truth.size() != r.tracks.size())
    throw UsageError("--truth and --tracks must be given as often as each other");
  if (!(r.min_overlap > 0 && r.min_overlap <= 1)) throw UsageError("--iou must be in (0, 1]");
  return r;
}

}  // namespace

int evaluate_tracks_command(const std::vector<std::string>& arguments) {
  const TracksRequest request = parse_tracks_request(arguments);
  for (const std::string& tracks : request.tracks) claim_input(tracks);
  std::optional<TextOutput> json;
  if (!request.json.empty()) json.emplace("--json", request.json);
  const std::vector<TracksResult> results = results_of(request);
  print(results);
  if (json) json->write(to_json(request, results));
  return 0;
}

}  // namespace tandem
