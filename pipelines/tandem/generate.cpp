// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/generate.h"

#include <charconv>
#include <cstdio>

#include "files/regular_file.h"
#include "pipelines/generate/loop_notes.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options.h"
#include "pipelines/tandem/text_output.h"

namespace tandem {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

std::string read_code(const std::string& path) {
  RegularFile file = read_regular_file(path, kMostBytes);
  if (!file.problem.empty()) throw Failure("cannot read '" + path + "': " + file.problem);
  return std::move(file.bytes);
}

void take_values(const std::vector<std::string>& words, std::map<std::string, double>& values) {
  for (const std::string& word : words) {
    const std::size_t is = word.find('=');
    const char* const end = word.data() + word.size();
    double value = 0;
    if (is == word.npos || is == 0 ||
        std::from_chars(word.data() + is + 1, end, value).ptr != end || is + 1 == word.size())
      throw UsageError("--set takes a name and a number, as in --set n=1024");
    values[word.substr(0, is)] = value;
  }
}

}  // namespace

int generate_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths, sets;
  std::string output = "-";
  generate::GenerateOptions options;
  int data = 1;
  OptionParser parser("generate",
                      "Makes a stage file of a C function whose loops have '#pragma omp parallel "
                      "for' (docs/generate.md).");
  parser.add("output", output, "FILE", "the stage file; standard output unless given", 'o');
  parser.add("function", options.function, "NAME",
             "of the file's functions, when several have such loops");
  parser.add("data", data, "N", "take sizes from the N-th line '// data: n=1024' of the file; 1");
  parser.add("set", sets, "NAME=VALUE", "a size or the default of a parameter; may be given again");
  parser.add_operands(paths, "FILE");
  parser.parse(arguments);
  if (paths.size() != 1)
    throw UsageError("generate needs one file, as in: tandem generate loop.c -o stage.cl");
  if (!generate::can_read_loops())
    throw Failure("this build of tandem has no libclang, which reads C",
                  "Install libclang-dev and build again.");
  TextOutput stage("--output", output);
  const std::string text = read_code(paths[0]);
  const generate::LoopNotes notes = generate::read_notes(text, paths[0]);
  if (!notes.data.empty() || data != 1) {
    if (data < 1 || data > static_cast<int>(notes.data.size()))
      throw Failure("'" + paths[0] + "' has " + std::to_string(notes.data.size()) +
                    " lines '// data:'");
    options.values = notes.data[static_cast<std::size_t>(data - 1)];
  }
  take_values(sets, options.values);
  stage.write(generate::generate_stage(text, paths[0], options).text);
  return 0;
}

}  // namespace tandem
