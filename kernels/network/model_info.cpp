// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/model_info.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "files/parse_number.h"
#include "files/regular_file.h"
#include "files/utf8.h"
#include "kernels/network/key_file.h"

namespace tandem::network {
namespace {

constexpr std::size_t kMostInfoBytes = 1 << 20;
constexpr std::size_t kMostLabels = 10000, kMostLabelBytes = 200;
constexpr std::size_t kMostGrids = 16, kMostRatios = 16;
constexpr float kMostMagnitude = 1e6f;  // of mean and deviation

constexpr char kKeys[] =
    "decoder (nanodet, ssd, yolov5, yolov8, yolox, classes or none), labels or labels-file, colors "
    "(rgb, "
    "bgr or luma), mean, deviation, and where they differ from the defaults fit, padding and "
    "scores";

[[noreturn]] void fail_text(const std::string& problem) { throw std::runtime_error(problem); }

template <class Value>
using Words = std::vector<std::pair<const char*, Value>>;

template <class Value>
Value word_of(const std::string& text, const Words<Value>& words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (text == words[i].first) return words[i].second;
    all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i].first);
  }
  fail_text("has '" + text + "': write " + all);
}

std::string text_of(float number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

float number_of(const std::string& text, float least, float most) {
  const auto value = parse_number<float>(text);
  if (!value || !(*value >= least && *value <= most))
    fail_text("has '" + text + "': write numbers from " + text_of(least) + " to " + text_of(most));
  return *value;
}

std::vector<float> numbers_of(const std::string& text, float least, float most, std::size_t count) {
  std::vector<float> numbers;
  for (const std::string& piece : split_list(text, ','))
    numbers.push_back(number_of(piece, least, most));
  if (numbers.size() > count)
    fail_text("has " + std::to_string(numbers.size()) + " numbers: write at most " +
              std::to_string(count));
  return numbers;
}

std::vector<int> sizes_of(const std::string& text, int most) {
  std::vector<int> sizes;
  for (const float number : numbers_of(text, 1, static_cast<float>(most), kMostGrids)) {
    if (number != std::floor(number)) fail_text("has '" + text + "': write whole numbers");
    sizes.push_back(static_cast<int>(number));
  }
  return sizes;
}

ModelInfo::Colors colors_of(const std::string& text) {
  using Colors = ModelInfo::Colors;
  return word_of<Colors>(text,
                         {{"rgb", Colors::rgb}, {"bgr", Colors::bgr}, {"luma", Colors::luma}});
}

ModelInfo::Fit fit_of(const std::string& text) {
  using Fit = ModelInfo::Fit;
  return word_of<Fit>(text, {{"letterbox", Fit::letterbox}, {"stretch", Fit::stretch}});
}

std::array<float, 3> channels_of(const std::string& text) {
  const std::vector<float> numbers = numbers_of(text, -kMostMagnitude, kMostMagnitude, 3);
  if (numbers.size() == 2) fail_text("has 2 numbers: write one, or one for each of 3 channels");
  const auto channel = [&](std::size_t c) { return numbers[numbers.size() == 1 ? 0 : c]; };
  return {channel(0), channel(1), channel(2)};
}

std::array<float, 3> deviations_of(const std::string& text) {
  const std::array<float, 3> deviation = channels_of(text);
  if (std::ranges::any_of(deviation, [](float d) { return std::abs(d) < 1 / kMostMagnitude; }))
    fail_text("has 0: write a divisor other than 0");
  return deviation;
}

/// GStreamer's: for each channel what 0 and 255 become, as in "-1,1;-1,1;-1,1".
void take_ranges(const std::string& text, ModelInfo& info) {
  const std::vector<std::string> pieces = split_list(text, ';');
  if (pieces.size() != 1 && pieces.size() != 3)
    fail_text("has neither one pair nor three: write one for each channel, as in -1,1;-1,1;-1,1");
  for (std::size_t c = 0; c < 3; ++c) {
    const std::string& piece = pieces[pieces.size() == 1 ? 0 : c];
    const std::vector<float> range = numbers_of(piece, -kMostMagnitude, kMostMagnitude, 2);
    if (range.size() != 2 || std::abs(range[1] - range[0]) < 1 / kMostMagnitude)
      fail_text("has '" + piece +
                "': write two different numbers, for pixels of 0 and of 255, as in -1,1");
    info.deviation[c] = 255 / (range[1] - range[0]);
    info.mean[c] = -range[0] * info.deviation[c];
  }
}

void add_label(const std::string& label, std::vector<std::string>& labels) {
  if (label.empty()) fail_text("has an empty label");
  if (label.size() > kMostLabelBytes || labels.size() == kMostLabels)
    fail_text("has a label of more than " + std::to_string(kMostLabelBytes) +
              " bytes, or more than " + std::to_string(kMostLabels) + " labels");
  labels.push_back(label);
}

std::vector<std::string> labels_in(const std::filesystem::path& folder, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    fail_text("has '" + name + "': write the name of a file in the model's folder");
  const std::string path = (folder / name).string();
  const RegularFile file = read_regular_file(path, kMostInfoBytes, Links::kRefuse);
  if (!file.problem.empty()) fail_text("names the file '" + path + "', which " + file.problem);
  if (!is_utf8(file.bytes)) fail_text("names the file '" + path + "', which is not UTF-8");
  std::vector<std::string> labels;
  std::vector<std::string> lines = split_list(file.bytes, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (const std::string& line : lines) add_label(line, labels);
  return labels;
}

using Take = void (*)(const std::string& text, const std::filesystem::path& folder,
                      ModelInfo& info);
using Folder = std::filesystem::path;

const std::map<std::string, Take>& keys_of_tandem() {
  using Info = ModelInfo;
  static const std::map<std::string, Take> keys{
      {"colors", [](const auto& t, const Folder&, Info& i) { i.colors = colors_of(t); }},
      {"fit", [](const auto& t, const Folder&, Info& i) { i.fit = fit_of(t); }},
      {"mean", [](const auto& t, const Folder&, Info& i) { i.mean = channels_of(t); }},
      {"deviation", [](const auto& t, const Folder&, Info& i) { i.deviation = deviations_of(t); }},
      {"padding", [](const auto& t, const Folder&, Info& i) { i.padding = number_of(t, 0, 255); }},
      {"decoder",
       [](const auto& t, const Folder&, Info& i) {
         i.decoder = word_of<Info::Decoder>(t, {{"nanodet", Info::Decoder::nanodet},
                                                {"ssd", Info::Decoder::ssd},
                                                {"yolov5", Info::Decoder::yolov5},
                                                {"yolov8", Info::Decoder::yolov8},
                                                {"yolox", Info::Decoder::yolox},
                                                {"classes", Info::Decoder::classes},
                                                {"none", Info::Decoder::none}});
       }},
      {"scores",
       [](const auto& t, const Folder&, Info& i) {
         i.scores = word_of<Info::Scores>(t, {{"probabilities", Info::Scores::probabilities},
                                              {"sigmoid", Info::Scores::sigmoid},
                                              {"softmax", Info::Scores::softmax}});
       }},
      {"labels",
       [](const auto& t, const Folder&, Info& i) {
         i.labels.clear();
         for (const std::string& label : split_list(t, ',')) add_label(label, i.labels);
       }},
      {"labels-file", [](const auto& t, const Folder& f, Info& i) { i.labels = labels_in(f, t); }},
      {"strides", [](const auto& t, const Folder&, Info& i) { i.strides = sizes_of(t, 1024); }},
      {"bins", [](const auto& t, const Folder&, Info& i) { i.bins = sizes_of(t, 64).front(); }},
      {"anchor-grids",
       [](const auto& t, const Folder&, Info& i) { i.anchors.grids = sizes_of(t, 256); }},
      {"anchor-scales",
       [](const auto& t, const Folder&, Info& i) {
         const std::vector<float> scales = numbers_of(t, 1e-3f, 10, 2);
         if (scales.size() != 2) fail_text("has one number: write the least and the largest scale");
         i.anchors.least_scale = scales[0];
         i.anchors.most_scale = scales[1];
       }},
      {"anchor-ratios",
       [](const auto& t, const Folder&, Info& i) {
         i.anchors.ratios = numbers_of(t, 1e-3f, 1e3f, kMostRatios);
       }},
  };
  return keys;
}

std::string info_path(const std::string& onnx_path) {
  const std::string behind = onnx_path + ".modelinfo";
  const std::string instead = Folder(onnx_path).replace_extension(".modelinfo").string();
  std::error_code ignored;
  for (const std::string& path : {behind, instead})
    if (std::filesystem::exists(path, ignored)) return path;
  fail_text("model information of '" + onnx_path + "' is missing: write the file '" + behind +
            "' with the group [tandem] and its keys " + kKeys);
}

std::string unknown_key(const std::string& key) {
  std::string all;
  for (const auto& [name, take] : keys_of_tandem()) all += (all.empty() ? "" : ", ") + name;
  return "has the unknown key '" + key + "': those of [tandem] are " + all;
}

}  // namespace

ModelInfo read_model_info(const std::string& onnx_path) {
  const std::string path = info_path(onnx_path);
  const std::string name = "model information '" + path + "' ";
  const RegularFile file = read_regular_file(path, kMostInfoBytes);
  if (!file.problem.empty()) fail_text(name + file.problem);
  std::vector<KeyEntry> entries;
  try {
    entries = parse_key_file(file.bytes);
  } catch (const std::runtime_error& problem) {
    fail_text(name + problem.what());
  }

  std::set<std::string> inputs, given;
  for (const KeyEntry& entry : entries) {
    if (entry.key == "dir" && entry.value == "input") inputs.insert(entry.group);
    if (entry.group == "tandem" && !given.insert(entry.key).second)
      fail_text(name + "line " + std::to_string(entry.line) + " has '" + entry.key + "' again");
  }
  if (given.contains("labels") && given.contains("labels-file"))
    fail_text(name + "has both 'labels' and 'labels-file': keep one of them");
  if (!given.contains("decoder"))
    fail_text(name + "has no key 'decoder' in a group [tandem]: write that group with its keys " +
              kKeys);

  ModelInfo info;
  info.path = path;
  bool has_ranges = given.contains("mean") || given.contains("deviation");
  for (const KeyEntry& entry : entries) {
    try {
      if (entry.group == "tandem") {
        const auto key = keys_of_tandem().find(entry.key);
        if (key == keys_of_tandem().end()) fail_text(unknown_key(entry.key));
        key->second(entry.value, Folder(path).parent_path(), info);
      } else if (entry.key == "ranges" && inputs.contains(entry.group) && !has_ranges) {
        take_ranges(entry.value, info);
        has_ranges = true;
      }
    } catch (const std::runtime_error& problem) {
      fail_text(name + "line " + std::to_string(entry.line) + " ('" + entry.key + "') " +
                problem.what());
    }
  }
  return info;
}

}  // namespace tandem::network
