// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "kernels/stage_file/stage_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::string stage_text(const std::string& name) {
  return "//!STAGE " + name +
         " Brighter pixels\n"
         "//!PARAM gain float 1.5 0..10 Factor of all levels\n"
         "//!READ luma\n"
         "//!WRITE luma\n"
         "//!MAP\n"
         "luma = convert_uchar_sat(gain * luma(0, 0));\n";
}

std::string test_text(const std::string& name) {
  return "#!/bin/sh\n"
         "# Compares the two sides of the stage.\n"
         "exec tandem check-stage \"$(dirname \"$0\")/" +
         name + ".cl\"\n";
}

// The parser takes a name up to a space: the whole of it has to be one.
bool is_stage_name(const std::string& name) {
  try {
    return parse_stage_file(stage_text(name), name).name == name;
  } catch (const StageFileError&) {
    return false;
  }
}

void write_new(const fs::path& path, const std::string& text) {
  if (fs::exists(fs::symlink_status(path)))
    throw Failure("'" + path.string() + "' exists already", "Give the stage another name.");
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Failure("cannot write '" + path.string() + "'");
  std::printf("wrote %s\n", path.c_str());
}

}  // namespace

int new_stage_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  std::string folder = ".";
  OptionParser parser("new-stage",
                      "Writes a stage file to start from, NAME.cl, and its test, NAME_test.sh "
                      "(docs/stage-files.md).");
  parser.add("folder", folder, "DIR", "folder of the files (default: the current one)");
  parser.add_operands(names, "NAME");
  parser.parse(arguments);
  if (names.size() != 1)
    throw UsageError("new-stage needs one name, as in: tandem new-stage brighter");
  const std::string& name = names[0];
  if (!is_stage_name(name))
    throw UsageError("'" + name + "' is not a name for a stage: use letters, digits and _");
  write_new(fs::path(folder) / (name + ".cl"), stage_text(name));
  const fs::path test = fs::path(folder) / (name + "_test.sh");
  write_new(test, test_text(name));
  fs::permissions(test, fs::perms::owner_exec, fs::perm_options::add);
  return 0;
}

}  // namespace tandem
