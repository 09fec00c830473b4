// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/generate.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "files/parse_number.h"
#include "files/regular_file.h"
#include "files/temporary_folder.h"
#include "kernels/stage_file/run/child_process.h"
#include "pipelines/generate/read/loop_notes.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"

namespace tandem {
namespace {

constexpr std::size_t kMostCodeBytes = 1 << 20;
constexpr std::chrono::minutes kMostCompileTime{5};  // compilers of both sides have 2 each

std::string read_code(const std::string& path) {
  RegularFile file = read_regular_file(path, kMostCodeBytes);
  if (!file.problem.empty()) throw Failure("cannot read '" + path + "': " + file.problem);
  return std::move(file.bytes);
}

void take_values(const std::vector<std::string>& words, std::map<std::string, double>& values) {
  for (const std::string& word : words) {
    const std::size_t is = word.find('=');
    const auto value = is == word.npos ? std::nullopt : parse_number<double>(word.substr(is + 1));
    if (!value || is == 0) throw UsageError("--set takes a name and a number, as in --set n=1024");
    values[word.substr(0, is)] = *value;
  }
}

// A name with a slip of the pen would leave its parameter as it is.
void check_names(const std::vector<std::string>& sets, const generate::LoopProgram& program) {
  for (const std::string& word : sets) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::none_of(program.scalars, [&](const generate::Scalar& scalar) {
          return generate::name_of_symbol(scalar.symbol) == name;
        }))
      throw UsageError("--set: the function has no parameter '" + name + "'");
  }
}

void take_sizes(const std::vector<std::string>& words, std::map<std::string, std::string>& sizes) {
  for (const std::string& word : words) {
    const std::size_t is = word.find('=');
    if (is == word.npos || is == 0 || is + 1 == word.size())
      throw UsageError("--size takes an array and its elements, as in --size in=w*h");
    sizes[word.substr(0, is)] = word.substr(is + 1);
  }
}

/// A folder that goes with the one file that is in it.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : folder_(make_temporary_folder("tandem")), path_(folder_ + "/" + name) {
    std::ofstream file(path_, std::ios::binary);
    file << text;
    if (!file.flush()) throw Failure("cannot write '" + path_ + "'");
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string folder_, path_;
};

// The rest of the line behind `words`. The streams of a child may come in any order.
std::string behind(const std::string& words, const std::string& text) {
  const std::size_t at = text.find(words);
  if (at == text.npos) return {};
  const std::size_t begin = at + words.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

// The line of the text that a message in the form "FILE:7:..." names.
std::string line_named_in(const std::string& message, const std::string& file,
                          const std::string& text) {
  const std::size_t at = message.find(file + ":");
  long left = at == message.npos ? 0 : std::atol(message.c_str() + at + file.size() + 1);
  std::istringstream lines(text);
  for (std::string line; left > 0 && std::getline(lines, line);)
    if (--left == 0) return "\n  " + line;
  return {};
}

// Both sides, as check-stage does. Another process compiles: OpenCL drivers have an LLVM of their
// own, which crashes beside libclang's. Returns what it compiled for.
std::string compile_stage(const std::string& name, const std::string& text,
                          const std::string& source) {
  const TemporaryFile file(name, text);
  const ChildResult done = run_child({std::filesystem::read_symlink("/proc/self/exe"),
                                      "check-stage", "--compile-only", file.path()},
                                     kMostCompileTime);
  if (done.status == 0) return "compiled for " + behind("  compiled for ", done.output);
  std::string said = behind("tandem: ", done.output);
  if (said.empty()) said = done.reason();  // it did not come so far
  for (std::size_t at; (at = said.find(file.path())) != said.npos;)
    said.replace(at, file.path().size(), name);
  throw Failure("the stage of '" + source + "' does not compile and is not written: " + said +
                line_named_in(said, name, text));
}

}  // namespace

int generate_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths, sets, sizes;
  std::string output = "-";
  generate::GenerateOptions options;
  int data = 1;
  bool no_compile = false;
  OptionParser parser("generate",
                      "Converts a C function whose loops have '#pragma omp parallel for' into a "
                      "stage file (docs/generate.md).");
  parser.add("output", output, "FILE", "the stage file (default: standard output)", 'o');
  parser.add("function", options.function, "NAME",
             "the function, if several of the file have such loops");
  parser.add("data", data, "N", "take sizes from the N-th line '// data: n=1024' of the file; 1");
  parser.add("set", sets, "NAME=VALUE", "a size or the default of a parameter; may be repeated");
  parser.add("size", sizes, "ARRAY=SIZE",
             "elements of an array whose size the code does not state: in=w*h; may be repeated");
  parser.add("no-compile", no_compile, "write the stage without compiling it first");
  parser.add_operands(paths, "FILE");
  parser.parse(arguments);
  if (paths.size() != 1)
    throw UsageError("generate needs one file, as in: tandem generate loop.c -o stage.cl");
  if (!generate::can_read_loops())
    throw Failure("this build of tandem has no libclang, which parses C",
                  "Install libclang-dev and build again.");
  claim_input(paths[0]);
  TextOutput written("--output", output);
  const std::string text = read_code(paths[0]);
  const generate::LoopNotes notes = generate::read_notes(text, paths[0]);
  if (!notes.data.empty() || data != 1) {
    if (data < 1 || data > static_cast<int>(notes.data.size()))
      throw Failure("'" + paths[0] + "' has " + std::to_string(notes.data.size()) +
                    " lines '// data:'");
    options.values = notes.data[static_cast<std::size_t>(data - 1)];
  }
  take_values(sets, options.values);
  take_sizes(sizes, options.sizes);
  const generate::Generated made = generate::generate_stage(text, paths[0], options);
  check_names(sets, made.program);
  const std::string& stage = made.text;
  const bool is_file = !written.is_standard_output();
  const std::string name = is_file ? std::filesystem::path(output).filename().string() : "stage.cl";
  const std::string compiled = no_compile ? "" : compile_stage(name, stage, paths[0]);
  written.write(stage);
  if (is_file && !no_compile) std::printf("%s: %s\n", output.c_str(), compiled.c_str());
  return 0;
}

}  // namespace tandem
