// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/workload.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "files/hash.h"
#include "files/parse_number.h"
#include "files/regular_file.h"
#include "pipelines/generate/read/loop_notes.h"
#include "pipelines/generate/write/dependencies.h"
#include "pipelines/generate/write/features.h"
#include "pipelines/generate/write/stage_comments.h"

namespace tandem::streams {
namespace {

// Frames whose elements lie in a row at will: rows enough for every number of tasks.
constexpr int kWidest = 1024, kRows = 32;

using Data = std::map<std::string, double>;

double number_of(const std::string& text) {
  const auto value = parse_number<double>(text);
  if (!value) throw std::invalid_argument("'" + text + "' is not a number");
  return *value;
}

int size_of(const std::string& text, const Data& data) {
  const double value = generate::value_of(text, data);
  if (value < 1 || value > 1 << 28)
    throw std::invalid_argument("'" + text + "' is not a size from 1 to 268435456");
  return static_cast<int>(value);
}

std::pair<int, int> flat_size(int elements) {
  int width = 1;
  while (width < kWidest && elements % (2 * width) == 0 && elements / (2 * width) >= kRows)
    width *= 2;
  return {width, elements / width};
}

void read_size(Workload& workload, const std::string& text, const Data& data) {
  const auto frame = generate::read_comment(text, "frame");
  if (frame.empty()) return;
  if (frame[0].first == "width*height") {
    std::tie(workload.width, workload.height) = flat_size(size_of(frame[0].second, data));
    return;
  }
  for (const auto& [name, value] : frame) {
    if (name == "width") workload.width = size_of(value, data);
    if (name == "height") workload.height = size_of(value, data);
  }
}

void read_bounds(Workload& workload, const std::string& text) {
  for (const auto& [name, range] : generate::read_comment(text, "values")) {
    const std::size_t dots = range.find("..");
    if (dots == range.npos)
      throw std::invalid_argument("'" + range + "' is not a range such as 0..255");
    workload.bounds[name] = {number_of(range.substr(0, dots)), number_of(range.substr(dots + 2))};
  }
}

// "mvt-12.cl": mvt and 12.
std::pair<std::string, int> numbered(const std::string& path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  const std::size_t dash = stem.rfind('-');
  const auto number = dash == stem.npos ? std::nullopt : parse_number<int>(stem.substr(dash + 1));
  if (!number) return {stem, 0};
  return {stem.substr(0, dash), *number};
}

}  // namespace

Workload load_workload(const std::string& path, int width, int height) {
  const RegularFile read = read_regular_file(path, kMostStageFileBytes);
  if (!read.problem.empty()) throw std::runtime_error("'" + path + "' " + read.problem);
  Workload workload{.path = path, .width = width, .height = height};
  workload.file = parse_stage_file(read.bytes, path);
  workload.name = workload.file.name;
  try {
    Data data;
    for (const auto& [name, value] : generate::read_comment(read.bytes, "data")) {
      data[name] = number_of(value);
      workload.data += (workload.data.empty() ? "" : " ") + name + "=" + value;
    }
    read_size(workload, read.bytes, data);
    if (workload.data.empty())
      workload.data = std::to_string(workload.width) + "x" + std::to_string(workload.height);
    read_bounds(workload, read.bytes);
    workload.dependencies = generate::read_dependencies(read.bytes);
    workload.code = generate::read_features(read.bytes, workload.width, workload.height);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error("'" + path + "': " + error.what());
  }
  return workload;
}

std::vector<std::string> find_stage_files(const std::vector<std::string>& places) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const std::string& place : places) {
    std::error_code error;
    if (!fs::is_directory(place, error)) {
      if (!fs::exists(place, error)) throw std::runtime_error("there is no '" + place + "'");
      paths.push_back(place);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(place))
      if (entry.path().extension() == ".cl") paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths, {}, [](const std::string& path) {
    const auto [name, number] = numbered(path);
    return std::tuple(number, name, path);
  });
  return paths;
}

std::vector<unsigned char> content_of(const Workload& workload, const StageTensor& tensor,
                                      std::size_t bytes) {
  const bool is_real = tensor.type == ElementType::kFloat32;
  double least = is_real ? -1 : 0, most = is_real                              ? 1
                                          : tensor.type == ElementType::kUint8 ? 255
                                                                               : 100;
  std::string name = tensor.tensor.empty() ? tensor.name : tensor.tensor;
  if (name.ends_with("_in") && !workload.bounds.contains(name)) name.resize(name.size() - 3);
  if (const auto found = workload.bounds.find(name); found != workload.bounds.end())
    std::tie(least, most) = found->second;
  std::minstd_rand random(static_cast<unsigned>(hash_of(name)));
  std::vector<unsigned char> content(bytes);
  const std::size_t size = bytes_of(tensor.type);
  const double scale = 1.0 / std::minstd_rand::max();
  for (std::size_t at = 0; at + size <= bytes; at += size) {
    const double share = static_cast<double>(random()) * scale;
    const float real = static_cast<float>(least + share * (most - least));
    const int whole = static_cast<int>(std::min(least + share * (most - least + 1), most));
    if (size == 1) content[at] = static_cast<unsigned char>(whole);
    if (size == 4) std::memcpy(&content[at], is_real ? static_cast<const void*>(&real) : &whole, 4);
  }
  return content;
}

}  // namespace tandem::streams
