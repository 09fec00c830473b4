// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather/result_line.h"

#include <algorithm>
#include <stdexcept>

#include "files/json_text.h"

namespace tandem {
namespace {

// As much as a worker keeps of all its lines: LineQueue::kMostBytes.
constexpr std::size_t kMostLineBytes = 16 << 20;

nlohmann::ordered_json read_bounded(const std::string& line, uint64_t frame) {
  if (line.size() > kMostLineBytes)
    throw std::runtime_error("is longer than " + std::to_string(kMostLineBytes) + " bytes");
  nlohmann::ordered_json json = parse_ordered_json(line);
  if (!json.is_object()) throw std::runtime_error("is no object");
  const auto number = json.find("frame");
  if (number == json.end() || !number->is_number_unsigned() || number->get<uint64_t>() != frame)
    throw std::runtime_error("is that of another frame");
  const auto detections = json.find("detections");
  const auto has_id = [](const auto& one) { return one.is_object() && one.contains("id"); };
  if (detections == json.end() || !detections->is_array() ||
      !std::ranges::all_of(*detections, has_id))
    throw std::runtime_error("has no list of detections with ids");
  return json;
}

}  // namespace

nlohmann::ordered_json read_result_line(const std::string& line, uint64_t frame) try {
  return read_bounded(line, frame);
} catch (const std::runtime_error& e) {
  throw std::runtime_error("the line of frame " + std::to_string(frame) + " " + e.what());
}

}  // namespace tandem
