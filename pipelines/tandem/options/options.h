// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A mistake in the words of a command: main() prints it and names the command's help, exit status
/// 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A fault outside of the program; `advice` is the remedy.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, std::string advice_text = "")
      : std::runtime_error(message), advice(std::move(advice_text)) {}
  std::string advice;
};

struct Size {
  int width = 0, height = 0;  ///< pixels
};

/// "600x416"; between 1x1 and 16384x16384. Throws UsageError that names `option`.
Size parse_size(std::string_view option, std::string_view text);
std::string to_string(Size size);

/// A finite number above 0. Throws UsageError that names `option`.
double parse_positive(std::string_view option, const std::string& text);

/// The option's value, or `otherwise` when it was not given. Throws UsageError when it is below
/// `least`.
int at_least(std::string_view option, std::optional<int> value, int least, int otherwise);

std::vector<std::string> split(std::string_view text, char separator);

/// "; did you mean 'doctor'?" when one of `candidates` is near `word`, else nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// A terminal is seldom narrower, and longer lines are hard to read on a wide one.
inline constexpr int kHelpColumns = 100;

/// `help` with lines of at most `columns` characters, broken at spaces. The rest of a line that
/// describes an option ("  --name=VALUE   text") stands under that text.
std::string wrap_help(std::string_view help, int columns = kHelpColumns);

/// One option of a command.
struct Option {
  std::string name;
  const char* argument;  ///< null: a flag
  const char* help;
  char short_name;                              ///< 'o' for -o; 0: none
  std::function<void(const std::string&)> set;  ///< throws UsageError
};

/// Puts what an option was given into `value`; a list takes one more each time. Throws UsageError.
void read_value(const char* option, const std::string& text, std::string& value);
void read_value(const char* option, const std::string& text, std::vector<std::string>& value);
/// For int, unsigned, uint64_t, float and double.
template <typename Number>
void read_value(const char* option, const std::string& text, Number& value);
template <typename Number>
void read_value(const char* option, const std::string& text, std::optional<Number>& value) {
  read_value(option, text, value.emplace());
}

/// An option that sets `value`, which must live until the words are parsed.
template <typename Value>
Option option(const char* name, Value& value, const char* argument, const char* help,
              char short_name = 0) {
  return {name, argument, help, short_name,
          [name, &value](const std::string& text) { read_value(name, text, value); }};
}

/// The options of one command on GLib's parser, which also writes the help text.
class OptionParser {
 public:
  /// `usage` follows the word `tandem`: "run vivid"; `summary` describes the command.
  OptionParser(std::string usage, std::string summary);

  void add(Option option) { options_.push_back(std::move(option)); }
  /// A flag: present or not.
  void add(const char* name, bool& value, const char* help);
  template <typename Value>
  void add(const char* name, Value& value, const char* argument, const char* help,
           char short_name = 0) {
    add(option(name, value, argument, help, short_name));
  }

  /// Words that are no options: without this call there may be none. `argument` is for the help.
  void add_operands(std::vector<std::string>& values, const char* argument);

  /// `argv` starts behind the command's own words. Prints the help and exits if --help is given.
  /// Throws UsageError for unknown options, for values that cannot be read and for words left over.
  void parse(std::vector<std::string> argv);

 private:
  std::string usage_, summary_;
  std::vector<Option> options_;
  std::vector<std::string>* operands_ = nullptr;
  const char* operands_name_ = nullptr;
  GOptionContext* context_ = nullptr;  // while parse() runs
};

}  // namespace tandem
