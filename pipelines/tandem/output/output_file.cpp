// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/output_file.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <gst/tandem/private/ref.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include "files/ascii.h"
#include "files/parse_number.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

namespace fs = std::filesystem;

namespace {

bool is_one_regular_file(const struct stat& file, const struct stat& other) {
  return S_ISREG(file.st_mode) && file.st_dev == other.st_dev && file.st_ino == other.st_ino;
}

bool is_open_for_reading(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

bool reads_same_file(const struct stat& file) {
  std::error_code error;  // without /proc there are none
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", error)) {
    const std::string name = entry.path().filename();
    const int descriptor = parse_number<int>(name).value_or(-1);
    struct stat opened;
    if (is_open_for_reading(descriptor) && fstat(descriptor, &opened) == 0 &&
        is_one_regular_file(file, opened))
      return true;
  }
  return false;
}

// Whether both paths name one file, whether it exists yet or not.
bool same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (fs::equivalent(path, other, error)) return true;  // links too; an error where one is missing
  const fs::path first = fs::weakly_canonical(path, error);
  return !error && first == fs::weakly_canonical(other, error) && !error;
}

// Elements read several files by a pattern: "part%03d.png", "part*.mp4".
bool matches(const std::string& location, const std::string& path) {
  if (same_file(location, path)) return true;
  static const std::regex number("%[0-9]*[diu]");
  const fs::path place(location);
  const std::string pattern = std::regex_replace(place.filename().string(), number, "*");
  if (pattern.find_first_of("*?[") == std::string::npos) return false;
  std::error_code error;
  const fs::path folder = place.has_parent_path() ? place.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fnmatch(pattern.c_str(), entry.path().filename().c_str(), 0) == 0 &&
        same_file(entry.path(), path))
      return true;
  }
  return false;
}

bool property_names(GObject* element, const char* property, const std::string& path) {
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), property);
  if (!spec || spec->value_type != G_TYPE_STRING || !(spec->flags & G_PARAM_READABLE)) return false;
  gchar* value = nullptr;
  g_object_get(element, property, &value, nullptr);
  const GlibString location(value);
  if (!location) return false;
  const GlibString file(g_filename_from_uri(location.get(), nullptr, nullptr));
  const std::string named = file ? file.get() : location.get();
  return is_filesrc(GST_ELEMENT(element)) ? same_file(named, path) : matches(named, path);
}

bool reads(GstElement* element, const std::string& path) {
  return property_names(G_OBJECT(element), "location", path) ||
         property_names(G_OBJECT(element), "model", path);
}

bool any_reads(GstBin* bin, const std::string& path) {
  struct Search {
    const std::string& path;
    bool found = false;
  } search{path};
  const std::unique_ptr<GstIterator, decltype(&gst_iterator_free)> elements(
      gst_bin_iterate_recurse(bin), gst_iterator_free);
  gst_iterator_foreach(
      elements.get(),
      [](const GValue* item, gpointer data) {
        Search& all = *static_cast<Search*>(data);
        all.found |= reads(GST_ELEMENT(g_value_get_object(item)), all.path);
      },
      &search);
  return search.found;
}

std::vector<std::string>& claimed_inputs() {
  static std::vector<std::string> paths;
  return paths;
}

[[noreturn]] void refuse_to_overwrite(const std::string& option, const std::string& path) {
  throw UsageError(option + " would overwrite the input, '" + path + "'; name another file");
}

}  // namespace

bool is_being_read(int descriptor) {
  struct stat file;
  return fstat(descriptor, &file) == 0 && reads_same_file(file);
}

bool is_being_read(const std::string& path) {
  struct stat file;
  return stat(path.c_str(), &file) == 0 && reads_same_file(file);
}

void check_keeps_input(const std::string& option, const std::string& path, const std::string& uri) {
  if (is_being_read(path)) refuse_to_overwrite(option, path);
  if (uri.empty()) return;
  const GlibString file(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (file && same_file(path, file.get())) refuse_to_overwrite(option, path);
  GstElement* made = gst_element_make_from_uri(GST_URI_SRC, uri.c_str(), nullptr, nullptr);
  if (!made) return;
  const ObjectRef<GstElement> source(GST_ELEMENT(gst_object_ref_sink(made)));
  if (reads(made, path) || (GST_IS_BIN(made) && any_reads(GST_BIN(made), path)))
    refuse_to_overwrite(option, path);
}

void check_keeps_files_of(const std::string& option, const std::string& path, GstBin* bin) {
  if (any_reads(bin, path))
    throw UsageError(option + " would overwrite '" + path +
                     "', which a stage reads; name another file");
}

void claim_input(const std::string& path) {
  if (!path.empty()) claimed_inputs().push_back(path);
}

void claim_output(const std::string& option, const std::string& path) {
  static std::vector<std::pair<std::string, std::string>> claimed;  // option and path
  std::error_code error;
  if (fs::is_character_file(path, error)) return;
  for (const std::string& input : claimed_inputs())
    if (same_file(path, input)) refuse_to_overwrite(option, path);
  for (const auto& [other, claimed_path] : claimed) {
    if (same_file(path, claimed_path))
      throw UsageError(other + " and " + option + " name the same file");
  }
  claimed.emplace_back(option, path);
}

namespace fs = std::filesystem;

void check_output_file(const std::string& option, const std::string& path) {
  if (names_standard_output(path)) {
    throw UsageError(option +
                     ": this file cannot be written to standard output; name a file (./- if its "
                     "name is to be -)");
  }
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  check_output_folder(option, folder.string());
  if (fs::is_directory(file, error)) {
    throw Failure(option + ": '" + path + "' is a folder; give the name of a file in it");
  }
  const bool there = fs::exists(file, error);
  if (access(there ? path.c_str() : folder.c_str(), W_OK) != 0) {
    throw Failure(option + ": no permission to write '" + path + "'");
  }
  claim_output(option, path);
}

void check_output_folder(const std::string& option, const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  if (fs::exists(path, error)) throw Failure(option + ": '" + path + "' is not a folder");
  throw Failure(option + ": there is no folder '" + path + "'",
                "Make it with: mkdir -p '" + path + "'");
}

void check_can_stream(const std::string& option, const std::string& path) {
  std::error_code error;
  const std::string extension = ascii_lower(fs::path(path).extension().string());
  if (!fs::is_fifo(path, error) || extension == ".mkv" || extension == ".webm" ||
      extension.starts_with(".og"))
    return;
  throw UsageError(option + ": a " + extension + " file cannot be written into a pipe, '" + path +
                   "'; .mkv, .webm and .ogv can");
}

}  // namespace tandem
