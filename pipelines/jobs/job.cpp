// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files/json_object.h"
#include "files/json_text.h"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kJobSchema[] = "tandem-job", kVideoSchema[] = "tandem-video";
constexpr int kVersion = 1;
constexpr std::size_t kMostParts = 1'000'000;

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
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  fail_field(from.path_of(name), "is no whole number from 0 on");
}

uint64_t whole(const JsonObject& from, const char* name) {
  if (const auto value = whole_or_null(from, name)) return *value;
  fail_field(from.path_of(name), "is null");
}

Part read_part(const JsonObject& from) {
  return {whole(from, "first_frame"), whole_or_null(from, "frames"),
          whole_or_null(from, "start_ns"), whole_or_null(from, "end_ns"), whole(from, "seek_ns")};
}

Analysis read_analysis(const JsonObject& from) {
  Analysis analysis{from.text("video"), from.text("application"), {}};
  const JsonObject properties = from.object("properties");
  for (const auto& property : from.at("properties").items()) {
    analysis.properties.emplace(property.key(), properties.text(property.key().c_str()));
  }
  return analysis;
}

void expect_schema(const JsonObject& from, const std::string& schema) {
  if (from.text("schema") != schema) throw std::runtime_error("is no " + schema);
  if (from.count("schema_version") > kVersion)
    throw std::runtime_error("is a " + schema + " of a newer version of Tandem");
}

}  // namespace

std::string job_id(uint64_t video, std::size_t part) {
  return std::to_string(video) + "." + std::to_string(part);
}

std::vector<Job> jobs_of(const Video& video) {
  std::vector<Job> jobs;
  for (const Part& part : video.parts)
    jobs.push_back({job_id(video.number, jobs.size()), video.analysis, part});
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
               {"created_s", video.created_s}};
  json.update(analysis_json(video.analysis));
  json["parts"] = Json::array();
  for (const Part& part : video.parts) json["parts"].push_back(part_json(part));
  return dumped(json);
}

Job read_job(const std::string& text) {
  const nlohmann::json json = parse_json(text);
  const JsonObject from(json, "");
  expect_schema(from, kJobSchema);
  return {from.text("id"), read_analysis(from), read_part(from.object("part"))};
}

Video read_video(const std::string& text) {
  const nlohmann::json json = parse_json(text);
  const JsonObject from(json, "");
  expect_schema(from, kVideoSchema);
  Video video{whole(from, "number"),
              static_cast<int64_t>(whole(from, "created_s")),
              read_analysis(from),
              {}};
  const std::size_t parts = from.list("parts", kMostParts).size();
  for (std::size_t i = 0; i < parts; ++i)
    video.parts.push_back(read_part(from.element("parts", i)));
  return video;
}

bool frames_are_independent(const std::string& application) {
  return application == "vivid" || application == "srad" || application == "scene";
}

}  // namespace tandem
