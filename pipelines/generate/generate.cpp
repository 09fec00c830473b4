// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/generate.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "pipelines/generate/read/loop_notes.h"
#include "pipelines/generate/write/dependencies.h"
#include "pipelines/generate/write/features.h"
#include "pipelines/generate/write/stage_builder.h"
#include "pipelines/generate/write/stage_comments.h"

namespace tandem::generate {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// The compiler of the loops may assume what a stage's sides do not: that arrays are apart.
void check_aliases(const LoopProgram& program, const Layout& layout) {
  std::set<Symbol> written;
  const auto nests = nests_of(program);
  for (std::size_t k = 0; k < nests.size(); ++k)
    for (const Symbol& symbol : arrays_written(*nests[k], layout.grids[k])) written.insert(symbol);
  for (const Array& array : program.arrays) {
    if (!array.is_parameter || !written.contains(array.symbol) || array.is_restrict) continue;
    for (const Array& other : program.arrays) {
      if (!other.is_parameter || other.symbol == array.symbol) continue;
      const std::string name = name_of_symbol(array.symbol);
      program.refuse(array.at, "'" + name + "', which is written, may overlap " +
                                   quoted_name(other.symbol) +
                                   ": write restrict, as in *restrict " + name + " or " + name +
                                   "[restrict n]");
    }
  }
}

// Which frames hold the function's arrays.
std::string frame_line(const Layout& layout) {
  const auto size = [&](std::size_t d) {
    return name_of_symbol(layout.plane[d].terms.begin()->first);
  };
  const auto named = [&](const char* word) -> std::string {
    for (const auto& [symbol, value] : layout.values)
      if (value == Affine::of(word)) return name_of_symbol(symbol);
    return {};
  };
  switch (layout.kind) {
    case Layout::Kind::kFrame:
      return "// frame: width=" + size(1) + " height=" + size(0) + "\n";
    case Layout::Kind::kFlat:
      if (!named("width").empty())
        return "// frame: width=" + named("width") + " height=" + named("height") + "\n";
      return "// frame: width*height=" + size(0) + "\n";
    case Layout::Kind::kRows:
      return "// frame: width=" + size(0) + " height=1\n";
    default:
      return "// frame: any\n";
  }
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// The data set, for tools that run the stage without the loops.
std::string data_lines(const LoopNotes& notes, const std::map<std::string, double>& values) {
  Comments data, bounds;
  for (const auto& [name, value] : values) data.emplace_back(name, number_text(value));
  for (const auto& [array, range] : notes.values)
    bounds.emplace_back(array, number_text(value_of(range[0], values)) + ".." +
                                   number_text(value_of(range[1], values)));
  return comment_line("data", data) + comment_line("values", bounds);
}

// Sizes stay parameters where the frame can have them. Where it cannot, parameters that have a
// value are read as numbers: rows of flat arrays, and bounds such as w / 2, are then known.
void read_and_lay_out(const std::string& text, const std::string& path,
                      const GenerateOptions& options, Generated& made) {
  const auto read = [&](bool as_numbers) {
    made.program = read_loops(text, path, options, as_numbers);
    made.layout = choose_layout(made.program, options.values);
  };
  std::exception_ptr refused;
  try {
    read(false);
    if (made.layout.kind != Layout::Kind::kFixed ||
        std::ranges::none_of(made.program.arrays, &Array::is_flat))
      return;
  } catch (const Refusal&) {
    refused = std::current_exception();
  }
  try {
    read(true);
  } catch (const Refusal&) {
    if (refused) std::rethrow_exception(refused);
    throw;
  }
}

}  // namespace

Generated generate_stage(const std::string& text, const std::string& path,
                         const GenerateOptions& options) {
  Generated made;
  try {
    read_and_lay_out(text, path, options, made);
  } catch (const std::overflow_error& error) {
    throw Refusal(path, made.program.place, error.what() + std::string(": --set smaller sizes"));
  }
  check_aliases(made.program, made.layout);
  made.file = StageBuilder(made.program, made.layout, options.values).build();
  const LoopNotes notes = read_notes(text, path);
  made.file.summary = notes.summary;
  const std::string stage = write_stage_file(made.file);
  made.file =
      parse_stage_file(stage, "the stage of " + path);  // what cannot be read is not written
  made.text = "// Made of " + made.program.name + "() in " + file_name(path) +
              " by tandem generate.\n" + frame_line(made.layout) +
              data_lines(notes, options.values) +
              features_line(features_of(made.program, made.layout, made.file)) +
              dependencies_line(dependencies_of(made.program, made.layout, made.file)) + stage;
  return made;
}

}  // namespace tandem::generate
