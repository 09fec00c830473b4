// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/tandem/command_line.h"

namespace tandem {

/// Something outside of the program is not as it should be; `advice` says what to do about it.
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

/// The options of one command on GLib's parser, which also writes the help text.
class OptionParser {
 public:
  /// `usage` follows the word `tandem`: "run vivid"; `summary` says what the command does.
  OptionParser(std::string usage, std::string summary);

  void add(const char* name, bool& value, const char* help);
  void add(const char* name, std::string& value, const char* argument, const char* help);
  /// With a short name too: 'o' is -o.
  void add(const char* name, char short_name, std::string& value, const char* argument,
           const char* help);
  void add(const char* name, std::optional<int>& value, const char* argument, const char* help);
  void add(const char* name, std::optional<double>& value, const char* argument, const char* help);

  /// Words that are no options: without this call there may be none. `argument` is for the help.
  void add_operands(std::vector<std::string>& values, const char* argument);

  /// `argv` starts behind the command's own words. Prints the help and exits when asked to. Throws
  /// UsageError for unknown options, for values that cannot be read and for words left over.
  void parse(std::vector<std::string> argv);

 private:
  struct Option {
    std::string name;
    const char* argument;  ///< null: a flag
    const char* help;
    std::function<void(const std::string&)> set;  ///< throws UsageError
    char short_name = 0;                          ///< 0: none
  };
  void add(Option option);

  std::string usage_, summary_;
  std::vector<Option> options_;
  std::vector<std::string>* operands_ = nullptr;
  const char* operands_name_ = nullptr;
};

}  // namespace tandem
