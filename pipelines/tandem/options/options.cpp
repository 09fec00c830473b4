// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/options/options.h"

#include <glib.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "files/parse_number.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {
namespace {

template <typename T>
T number_of(std::string_view option, const std::string& text) {
  const auto value = parse_number<T>(text);
  if (!value || !std::isfinite(static_cast<double>(*value))) {
    throw UsageError("--" + std::string(option) + ": '" + text + "' is not a " +
                     (std::is_unsigned_v<T> ? "whole number from 0 on" : "number"));
  }
  return *value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

int length(std::string_view text) {
  return static_cast<int>(g_utf8_strlen(text.data(), static_cast<gssize>(text.size())));
}

// Where the text of an option begins: behind the first two spaces that follow a word.
std::size_t text_of_option(std::string_view line) {
  const std::size_t name = line.find_first_not_of(' ');
  if (name == 0 || name == std::string_view::npos || line[name] != '-') return 0;
  const std::size_t gap = line.find("  ", name);
  const std::size_t text = line.find_first_not_of(' ', gap);
  return gap == std::string_view::npos || text == std::string_view::npos ? 0 : text;
}

std::string wrap_line(std::string_view line, int columns) {
  const std::size_t start = text_of_option(line);
  const int margin = length(line.substr(0, start));
  std::string wrapped(line.substr(0, start));
  int column = margin;
  for (const std::string& word : split(line.substr(start), ' ')) {
    if (column > margin && column + 1 + length(word) > columns) {
      wrapped.append("\n").append(static_cast<std::size_t>(margin), ' ');
      column = margin;
    } else if (column > margin || word.empty()) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += length(word);
  }
  return wrapped;
}

}  // namespace

Size parse_size(std::string_view option, std::string_view text) {
  constexpr int kLargest = 16384;
  const std::vector<std::string> sides = split(text, 'x');
  Size size;
  const auto read = [](const std::string& side, int& value) {
    value = parse_number<int>(side).value_or(0);
    return value >= 1 && value <= kLargest;
  };
  if (sides.size() != 2 || !read(sides[0], size.width) || !read(sides[1], size.height)) {
    throw UsageError("--" + std::string(option) + ": '" + std::string(text) +
                     "' is not a size; write WIDTHxHEIGHT in pixels, as in 600x416");
  }
  return size;
}

std::string to_string(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

double parse_positive(std::string_view option, const std::string& text) {
  const double value = number_of<double>(option, text);
  if (value > 0 && std::isfinite(value)) return value;
  throw UsageError("--" + std::string(option) + ": " + text + " is not above 0");
}

int at_least(std::string_view option, std::optional<int> value, int least, int otherwise) {
  if (!value) return otherwise;
  if (*value >= least) return *value;
  throw UsageError("--" + std::string(option) + ": " + std::to_string(*value) + " is below " +
                   std::to_string(least));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
  }
  return parts;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

void read_value(const char* option, const std::string& text, std::string& value) {
  if (text.empty()) throw UsageError("--" + std::string(option) + " needs a value");
  value = text;
}

void read_value(const char* option, const std::string& text, std::vector<std::string>& value) {
  read_value(option, text, value.emplace_back());
}

template <typename Number>
void read_value(const char* option, const std::string& text, Number& value) {
  value = number_of<Number>(option, text);
}
template void read_value(const char*, const std::string&, int&);
template void read_value(const char*, const std::string&, unsigned&);  // std::size_t of 32 bits
template void read_value(const char*, const std::string&, uint64_t&);
template void read_value(const char*, const std::string&, float&);
template void read_value(const char*, const std::string&, double&);

OptionParser::OptionParser(std::string usage, std::string summary)
    : usage_(std::move(usage)), summary_(std::move(summary)) {}

void OptionParser::add(const char* name, bool& value, const char* help) {
  add(Option{name, nullptr, help, 0, [&value](const std::string&) { value = true; }});
}

void OptionParser::add_operands(std::vector<std::string>& values, const char* argument) {
  operands_ = &values;
  operands_name_ = argument;
}

void OptionParser::parse(std::vector<std::string> argv) {
  // GLib calls back with "--name" or "-n"; the only data it hands over is the group's, which is
  // this parser.
  const GOptionArgFunc set = [](const gchar* name, const gchar* value, gpointer data,
                                GError** error) -> gboolean {
    for (const Option& option : static_cast<OptionParser*>(data)->options_) {
      const bool is_short = option.short_name && name == std::string{'-', option.short_name};
      if (!is_short && "--" + option.name != name) continue;
      try {
        option.set(value ? value : "");
        return TRUE;
      } catch (const UsageError& e) {
        g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, e.what());
      }
    }
    return FALSE;
  };
  std::vector<GOptionEntry> entries;
  for (const Option& option : options_) {
    // Names of files are bytes, whatever the locale: GLib shall not convert them.
    const int flags = option.argument ? int{G_OPTION_FLAG_FILENAME} : int{G_OPTION_FLAG_NO_ARG};
    entries.push_back({option.name.c_str(), option.short_name, flags, G_OPTION_ARG_CALLBACK,
                       reinterpret_cast<gpointer>(set), option.help, option.argument});
  }
  // GLib's own --help would write lines of any length.
  const GOptionArgFunc help = [](const gchar*, const gchar*, gpointer data, GError**) -> gboolean {
    const GlibString text(
        g_option_context_get_help(static_cast<OptionParser*>(data)->context_, TRUE, nullptr));
    std::fputs(wrap_help(text.get()).c_str(), stdout);
    std::exit(0);
  };
  entries.push_back({"help", 'h', G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
                     reinterpret_cast<gpointer>(help), "show this help", nullptr});
  entries.push_back({});

  g_set_prgname(("tandem " + usage_).c_str());
  const std::unique_ptr<GOptionContext, decltype(&g_option_context_free)> context(
      g_option_context_new(operands_name_), g_option_context_free);
  context_ = context.get();
  g_option_context_set_help_enabled(context_, FALSE);
  g_option_context_set_summary(context_, summary_.c_str());
  GOptionGroup* group = g_option_group_new("main", "", "", this, nullptr);
  g_option_group_add_entries(group, entries.data());
  g_option_context_set_main_group(context_, group);

  argv.insert(argv.begin(), "tandem");
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  int count = static_cast<int>(argv.size());
  char** first = words.data();
  GError* error = nullptr;
  if (!g_option_context_parse(context.get(), &count, &first, &error)) {
    const bool unknown = g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION);
    std::string message = take_message(error);
    if (unknown) {
      std::vector<std::string> names;
      for (const Option& option : options_) names.push_back("--" + option.name);
      message += did_you_mean(message.substr(message.rfind(' ') + 1), names);
    }
    throw UsageError(message);
  }
  if (operands_) {
    operands_->assign(first + 1, first + count);
    return;
  }
  if (count > 1) throw UsageError("'" + std::string(first[1]) + "' is not expected here");
}

std::string wrap_help(std::string_view help, int columns) {
  std::string wrapped;
  const std::vector<std::string> lines = split(help, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) wrapped += '\n';
    wrapped += length(lines[i]) > columns ? wrap_line(lines[i], columns) : lines[i];
  }
  return wrapped;
}

}  // namespace tandem
