// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/class_names.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "pipelines/training/dataset/builder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> kFiles = {"classes.txt", "obj.names", "data.yaml",
                                               "dataset.yaml"};
constexpr std::size_t kMostClasses = 65536;

/// Without the quotes around it, or the comment behind it.
std::string scalar(const std::string& raw) {
  const std::string text = trimmed(raw);
  if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
    const std::size_t end = text.find(text[0], 1);
    return end == std::string::npos ? text : text.substr(1, end - 1);
  }
  return trimmed(text.substr(0, text.find(" #")));
}

/// The parts between commas that are not in quotes.
std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (const char c : text) {
    if (quote == 0 && c == ',') {
      parts.emplace_back();
      continue;
    }
    if (quote != 0 ? c == quote : (c == '\'' || c == '"')) quote = quote != 0 ? 0 : c;
    parts.back() += c;
  }
  if (trimmed(parts.back()).empty()) parts.pop_back();
  return parts;
}

/// The `names` of a data.yaml. This is not all of YAML: what it does not know it refuses.
class YamlNames {
 public:
  explicit YamlNames(const fs::path& file) : file_(file), stream_(read_annotation(file)) {}

  std::vector<std::string> read() {
    std::string text;
    while (next(text))
      if (text.starts_with("names:")) return names_behind(trimmed(text.substr(6)));
    return {};
  }

 private:
  bool next(std::string& text) {
    ++line_;
    return static_cast<bool>(std::getline(stream_, text));
  }
  std::runtime_error error(const std::string& what) const {
    return line_of(file_, line_).error(what + "; put one name a line into classes.txt instead");
  }

  std::vector<std::string> names_behind(std::string rest) {
    if (rest.starts_with("#")) rest.clear();
    if (rest.starts_with("[") || rest.starts_with("{")) return flow(std::move(rest));
    if (!rest.empty()) throw error("'names' is neither a list nor numbered");
    std::string text;
    while (next(text)) {
      const std::string item = trimmed(text);
      if (item.empty() || item[0] == '#') continue;
      if (item.starts_with("- ")) {
        names_.push_back(scalar(item.substr(2)));
      } else if (text[0] == ' ' || text[0] == '\t') {
        add_numbered(item);
      } else {
        break;
      }
    }
    return std::move(names_);
  }

  std::vector<std::string> flow(std::string rest) {
    const char end = rest[0] == '[' ? ']' : '}';
    std::string text;
    while (rest.find(end) == std::string::npos) {
      if (!next(text)) throw error(std::string("the list of names lacks its '") + end + "'");
      rest += ' ' + trimmed(text);
    }
    for (const std::string& part : between_commas(rest.substr(1, rest.rfind(end) - 1))) {
      if (end == ']')
        names_.push_back(scalar(part));
      else
        add_numbered(trimmed(part));
    }
    return std::move(names_);
  }

  void add_numbered(const std::string& item) {
    const std::size_t colon = item.find(':');
    if (colon == std::string::npos) throw error("expected 'NUMBER: NAME'");
    const double number = number_of(item.substr(0, colon), "the class", line_of(file_, line_));
    if (number != static_cast<double>(names_.size()))
      throw error("expected the name of class " + std::to_string(names_.size()));
    names_.push_back(scalar(item.substr(colon + 1)));
  }

  const fs::path file_;
  std::istringstream stream_;
  int line_ = 0;
  std::vector<std::string> names_;
};

std::vector<std::string> one_a_line(const fs::path& file) {
  std::vector<std::string> names;
  for_each_line(file,
                [&](const std::string& text, const Place&) { names.push_back(trimmed(text)); });
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

}  // namespace

bool is_class_names_file(const fs::path& file) {
  return std::find(kFiles.begin(), kFiles.end(), file.filename()) != kFiles.end();
}

std::vector<std::string> read_class_names(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders)
    for (const char* name : kFiles) {
      const fs::path file = folder / name;
      if (!fs::is_regular_file(file)) continue;
      std::vector<std::string> names =
          file.extension() == ".yaml" ? YamlNames(file).read() : one_a_line(file);
      if (names.empty() || names.size() > kMostClasses)
        throw line_of(file, 1).error("the file names " + std::to_string(names.size()) + " classes");
      return names;
    }
  return {};
}

}  // namespace tandem
