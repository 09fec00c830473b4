// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job.h"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "files/ascii.h"
#include "files/json_object.h"
#include "files/json_text.h"
#include "files/terminal_text.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kJobSchema[] = "tandem-job", kVideoSchema[] = "tandem-video";
constexpr int kVersion = 1;
constexpr std::size_t kMostParts = 1'000'000;
// Addresses with signatures of cloud storage have some thousand bytes.
constexpr std::size_t kMostUri = 16'384, kMostValue = 4096, kMostApplicationName = 64,
                      kMostProperties = 32;
constexpr std::size_t kMostJobBytes = 256 << 10, kMostVideoBytes = 256 << 20;
constexpr uint64_t kMostNumber = uint64_t{1} << 53;  // 100 days in ns, and exact in any JSON
constexpr std::size_t kIdentityDigits = 32;

bool is_identity(std::string_view text) {
  return text.size() == kIdentityDigits && std::ranges::all_of(text, [](char c) {
           return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
         });
}

Json or_null(const std::optional<uint64_t>& value) { return value ? Json(*value) : Json(nullptr); }

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json part_json(const Part& part) {
  return {{"first_frame", part.first_frame},
          {"frames", or_null(part.frames)},
          {"start_ns", or_null(part.start_ns)},
          {"end_ns", or_null(part.end_ns)},
          {"seek_ns", part.seek_ns}};
}

Json analysis_json(const Analysis& analysis) {
  return {{"video", analysis.uri},
          {"application", analysis.application},
          {"properties", analysis.properties}};
}

std::optional<uint64_t> whole_or_null(const JsonObject& from, const char* name) {
  const nlohmann::json& value = from.at(name);
  if (value.is_null()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<uint64_t>() <= kMostNumber)
    return value.get<uint64_t>();
  fail_field(from.path_of(name), "is not a whole number from 0 to 2^53");
}

uint64_t whole(const JsonObject& from, const char* name) {
  if (const auto value = whole_or_null(from, name)) return *value;
  fail_field(from.path_of(name), "is null");
}

std::string short_text(const JsonObject& from, const char* name, std::size_t most_bytes) {
  std::string text = from.text(name);
  if (text.size() > most_bytes)
    fail_field(from.path_of(name), "is longer than " + std::to_string(most_bytes) + " bytes");
  return text;
}

Part read_part(const JsonObject& from) {
  const Part part{whole(from, "first_frame"), whole_or_null(from, "frames"),
                  whole_or_null(from, "start_ns"), whole_or_null(from, "end_ns"),
                  whole(from, "seek_ns")};
  if (part.frames == 0U) fail_field(from.path_of("frames"), "is 0");
  return part;
}

// Every frame is in one part: gather would never find a video complete otherwise.
void check_parts(const std::vector<Part>& parts) {
  uint64_t next_frame = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = "parts[" + std::to_string(i) + "]";
    if (parts[i].first_frame != next_frame)
      fail_field(name, "does not begin where the part before it ends");
    if (!parts[i].frames && i + 1 < parts.size()) fail_field(name, "has no end");
    next_frame += parts[i].frames.value_or(0);
  }
}

Analysis read_analysis(const JsonObject& from) {
  Analysis analysis{short_text(from, "video", kMostUri),
                    short_text(from, "application", kMostApplicationName),
                    {}};
  const JsonObject properties = from.object("properties");
  const auto& all = from.at("properties");
  if (all.size() > kMostProperties) fail_field("properties", "has too many fields");
  for (const auto& property : all.items()) {
    analysis.properties.emplace(property.key(),
                                short_text(properties, property.key().c_str(), kMostValue));
  }
  return analysis;
}

std::string read_identity(const JsonObject& from) {
  std::string identity = from.text("identity");
  if (!is_identity(identity)) fail_field("identity", "is not 32 hexadecimal digits");
  return identity;
}

nlohmann::json parse_bounded(const std::string& text, std::size_t most_bytes) {
  if (text.size() > most_bytes)
    throw std::runtime_error("is longer than " + std::to_string(most_bytes) + " bytes");
  return parse_json(text);
}

void expect_schema(const JsonObject& from, const std::string& schema) {
  if (from.text("schema") != schema) throw std::runtime_error("is not a " + schema);
  if (from.count("schema_version") > kVersion)
    throw std::runtime_error("is a " + schema + " of a newer version of Tandem");
}

}  // namespace

std::string new_identity() {
  const GlibString random(g_uuid_string_random());
  std::string identity = random.get();
  std::erase(identity, '-');
  return identity;
}

std::string job_id(const Video& video, std::size_t part) {
  return std::to_string(video.number) + "." + std::to_string(part) + "@" + video.identity;
}

std::string shown(const std::string& job_id) {
  constexpr std::size_t kMostShown = 60;
  return terminal_text(job_id.substr(0, job_id.find('@')), kMostShown);
}

std::optional<JobPlace> place_of(const std::string& job_id) {
  JobPlace place;
  const char* end = job_id.data() + job_id.size();
  const auto [dot, no_video] = std::from_chars(job_id.data(), end, place.video);
  if (no_video != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [at, no_part] = std::from_chars(dot + 1, end, place.part);
  if (no_part != std::errc() || at == end || *at != '@') return std::nullopt;
  place.identity.assign(at + 1, end);
  if (!is_identity(place.identity)) return std::nullopt;
  return place;
}

std::vector<Job> jobs_of(const Video& video) {
  std::vector<Job> jobs;
  for (const Part& part : video.parts)
    jobs.push_back({job_id(video, jobs.size()), video.analysis, part});
  return jobs;
}

std::string write_job(const Job& job) {
  Json json = {{"schema", kJobSchema}, {"schema_version", kVersion}, {"id", job.id}};
  json.update(analysis_json(job.analysis));
  json["part"] = part_json(job.part);
  return dumped(json);
}

std::string write_video(const Video& video) {
  Json json = {{"schema", kVideoSchema},
               {"schema_version", kVersion},
               {"number", video.number},
               {"identity", video.identity}};
  json.update(analysis_json(video.analysis));
  json["parts"] = Json::array();
  for (const Part& part : video.parts) json["parts"].push_back(part_json(part));
  return dumped(json);
}

Job read_job(const std::string& text) {
  const nlohmann::json json = parse_bounded(text, kMostJobBytes);
  const JsonObject from(json, "");
  expect_schema(from, kJobSchema);
  Job job{from.text("id"), read_analysis(from), read_part(from.object("part"))};
  if (!place_of(job.id)) fail_field("id", "does not name a part of a video");
  return job;
}

Video read_video(const std::string& text) {
  const nlohmann::json json = parse_bounded(text, kMostVideoBytes);
  const JsonObject from(json, "");
  expect_schema(from, kVideoSchema);
  Video video{whole(from, "number"), read_identity(from), read_analysis(from), {}};
  const std::size_t parts = from.list("parts", kMostParts).size();
  if (parts == 0) fail_field("parts", "is empty");
  for (std::size_t i = 0; i < parts; ++i)
    video.parts.push_back(read_part(from.element("parts", i)));
  check_parts(video.parts);
  return video;
}

bool frames_are_independent(const std::string& application) {
  return application == "vivid" || application == "srad" || application == "scene" ||
         application == "network";
}

}  // namespace tandem
