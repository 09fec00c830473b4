// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/detection_file.h"

#include <cmath>
#include <fstream>
#include <map>
#include <stdexcept>

#include "files/json_text.h"

namespace tandem {
namespace {

using nlohmann::json;

std::runtime_error bad_file(const std::string& path, const std::string& why) {
  return std::runtime_error("detections '" + path + "' " + why);
}

std::vector<Detection> regions_of(const json& line) {
  std::vector<Detection> found;
  for (const json& region : line.at("regions")) {
    const auto number = [&](const char* name) {
      const auto value = region.at(name).get<float>();
      if (!std::isfinite(value))
        throw std::runtime_error(std::string("'") + name + "' is " + region.at(name).dump() +
                                 ", too large");
      return value;
    };
    found.push_back({number("x"), number("y"), number("w"), number("h"), number("confidence")});
    if (found.back().width <= 0 || found.back().height <= 0)
      throw std::runtime_error("a region's 'w' or 'h' is not positive");
  }
  return found;
}

}  // namespace

std::string detection_lines(const std::vector<Photograph>& photographs,
                            const std::vector<std::vector<Detection>>& found) {
  std::string lines;
  for (std::size_t p = 0; p < photographs.size(); ++p) {
    json regions = json::array();
    for (const Detection& d : found[p])
      regions.push_back(
          {{"x", d.x}, {"y", d.y}, {"w", d.width}, {"h", d.height}, {"confidence", d.score}});
    lines += json{{"image", photographs[p].name}, {"regions", regions}}.dump() + '\n';
  }
  return lines;
}

std::vector<std::vector<Detection>> read_detections(const std::string& path,
                                                    const std::vector<Photograph>& photographs) {
  std::map<std::string, std::size_t> waiting;
  for (std::size_t p = 0; p < photographs.size(); ++p) waiting[photographs[p].name] = p;
  std::ifstream file(path);
  if (!file) throw bad_file(path, "cannot be opened");

  std::vector<std::vector<Detection>> found(photographs.size());
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    const std::string where = "line " + std::to_string(line) + ": ";
    try {
      const json entry = parse_json(text);
      const std::string image = entry.at("image");
      const auto at = waiting.find(image);
      if (at == waiting.end())
        throw std::runtime_error("the dataset has no image '" + image + "', or it came before");
      found[at->second] = regions_of(entry);
      waiting.erase(at);
    } catch (const std::exception& e) {
      throw bad_file(path, where + e.what());
    }
  }
  if (!waiting.empty())
    throw bad_file(path, "has no line for image '" + waiting.begin()->first + "'");
  return found;
}

}  // namespace tandem
