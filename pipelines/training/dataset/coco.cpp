// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>

#include "files/json_text.h"
#include "pipelines/training/dataset/builder.h"

namespace tandem::coco {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// One element of a list, "annotations[7]": its fields, with messages that name them.
class Element {
 public:
  Element(const fs::path& file, const char* list, std::size_t index, const Json& json)
      : place_{file.string(), std::string(list) + "[" + std::to_string(index) + "]"}, json_(json) {
    if (!json.is_object()) throw place_.error("is not an object");
  }

  const Place& place() const { return place_; }
  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }

  int64_t id(const char* name) const {
    const Json& value = field(name);
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
      throw wrong(name, value, "not an id, which is a whole number");
    return value.get<int64_t>();
  }
  std::string text(const char* name) const {
    const Json& value = field(name);
    if (!value.is_string()) throw wrong(name, value, "not a text");
    return value.get<std::string>();
  }
  double number(const char* name) const {
    const Json& value = field(name);
    if (!value.is_number() && !value.is_boolean()) throw wrong(name, value, "not a number");
    return value.get<double>();
  }
  DatasetBuilder::ExactBox box(const char* name) const {
    const Json& value = field(name);
    const auto is_number = [](const Json& side) { return side.is_number(); };
    if (!value.is_array() || value.size() != 4 ||
        !std::all_of(value.begin(), value.end(), is_number))
      throw wrong(name, value, "not a list of four numbers");
    return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>(),
            value[3].get<double>()};
  }
  std::runtime_error wrong(const char* name, const Json& value, const std::string& what) const {
    return place_.error(std::string(name) + " is " + value.dump().substr(0, 60) + ", " + what);
  }

 private:
  const Json& field(const char* name) const {
    if (!json_.contains(name)) throw place_.error(std::string(name) + " is missing");
    return json_[name];
  }

  const Place place_;
  const Json& json_;
};

/// Calls visit(element) for each of a list of the document.
template <typename Visit>
void for_each(const fs::path& file, const Json& document, const char* list, Visit visit) {
  const auto found = document.find(list);
  if (found == document.end() || !found->is_array())
    throw std::runtime_error("annotation '" + file.string() + "' has no list '" + list +
                             "': it is not COCO's");
  for (std::size_t i = 0; i < found->size(); ++i) visit(Element(file, list, i, (*found)[i]));
}

/// Where pictures may lie: instances_val2017.json stands in annotations/, beside val2017/.
std::vector<fs::path> folders_of_pictures(const fs::path& file) {
  const fs::path own = fs::absolute(file).parent_path(), above = own.parent_path();
  const std::string stem = file.stem().string();
  const std::string split = stem.substr(stem.rfind('_') + 1);
  std::vector<fs::path> folders;
  for (const fs::path& base : {own, above})
    for (const fs::path& folder : {base, base / "images", base / split, base / "images" / split})
      if (fs::is_directory(folder)) folders.push_back(folder);
  return folders;
}

fs::path picture_of(const Element& image, const std::vector<fs::path>& folders) {
  const std::string name = image.text("file_name");
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.empty() || relative.is_absolute() || *relative.begin() == "..")
    throw image.place().error("file_name '" + name + "' is outside of the dataset");
  for (const fs::path& folder : folders)
    if (fs::is_regular_file(folder / relative)) return folder / relative;
  std::string looked;
  for (const fs::path& folder : folders) looked += (looked.empty() ? "" : ", ") + folder.string();
  throw image.place().error("there is no picture '" + name + "' in " + looked);
}

/// The JSON files of a folder, as COCO and as programs that export its format lay them out.
std::vector<fs::path> files_below(const fs::path& path) {
  if (fs::is_regular_file(path)) return {path};
  std::vector<fs::path> files = files_in(path / "annotations", ".json");
  // Beside the boxes COCO has key points and captions.
  const auto is_instances = [](const fs::path& file) {
    return file.filename().string().starts_with("instances");
  };
  if (std::any_of(files.begin(), files.end(), is_instances))
    std::erase_if(files, [&](const fs::path& file) { return !is_instances(file); });
  if (files.empty()) files = files_in(path, ".json");
  if (!files.empty() || !fs::is_directory(path)) return files;
  for (const auto& folder : fs::directory_iterator(path))
    if (fs::is_regular_file(folder.path() / "_annotations.coco.json"))
      files.push_back(folder.path() / "_annotations.coco.json");
  std::sort(files.begin(), files.end());
  return files;
}

fs::path file_of(const fs::path& path, const std::string& split) {
  std::vector<fs::path> files = files_below(path);
  std::string names;
  for (const fs::path& file : files)
    names += (names.empty() ? "" : ", ") + file.lexically_relative(path).string();
  if (!split.empty() && !fs::is_regular_file(path))
    std::erase_if(files, [&](const fs::path& file) {
      return file.lexically_relative(path).string().find(split) == std::string::npos;
    });
  if (files.size() == 1) return files[0];
  if (names.empty()) throw std::runtime_error("'" + path.string() + "' holds no .json file");
  throw std::runtime_error("'" + path.string() + "' holds " + names + ": choose " +
                           (split.empty() ? "one with --split, or name the file itself"
                                          : "exactly one with --split, which is '" + split + "'"));
}

bool is_format(const fs::path& path) {
  return fs::is_regular_file(path) ? path.extension() == ".json" : !files_below(path).empty();
}

Dataset read(const fs::path& path, const DatasetOptions& options) {
  const fs::path file = file_of(path, options.split);
  Json document;
  try {
    document = parse_json(read_annotation(file), "segmentation");
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    if (what.starts_with("annotation '")) throw;
    throw std::runtime_error("annotation '" + file.string() + "' " + what);
  }
  std::map<int64_t, std::string> categories;
  for_each(file, document, "categories", [&](const Element& category) {
    if (!categories.emplace(category.id("id"), category.text("name")).second)
      throw category.place().error("its id is another category's");
  });

  DatasetBuilder builder("COCO", options.label);
  const std::vector<fs::path> folders = folders_of_pictures(file);
  std::map<int64_t, std::size_t> photographs;
  for_each(file, document, "images", [&](const Element& image) {
    const std::string picture = picture_of(image, folders).string();
    const std::size_t photograph = builder.add_photograph(image.text("file_name"), picture);
    if (!photographs.emplace(image.id("id"), photograph).second)
      throw image.place().error("its id is another image's");
    if (image.has("width") && image.has("height"))
      builder.expect_size(photograph, image.number("width"), image.number("height"), image.place());
  });
  for_each(file, document, "annotations", [&](const Element& annotation) {
    const auto image = photographs.find(annotation.id("image_id"));
    if (image == photographs.end())
      throw annotation.wrong("image_id", annotation.id("image_id"), "which is no image's id");
    const auto category = categories.find(annotation.id("category_id"));
    if (category == categories.end())
      throw annotation.wrong("category_id", annotation.id("category_id"),
                             "which is no category's id");
    const bool crowd = annotation.has("iscrowd") && annotation.number("iscrowd") != 0;
    builder.add_box(image->second, category->second, annotation.box("bbox"), crowd,
                    annotation.place());
  });
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::coco

const tandem::DatasetFormat tandem::kCocoFormat{
    "coco", "a .json file, in annotations/ or named itself (COCO)", coco::is_format, coco::read};
