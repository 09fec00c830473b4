// SPDX-License-Identifier: LGPL-2.1-or-later
#include <glib.h>

#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "pipelines/training/dataset/builder.h"

namespace tandem::voc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLevels = 64;

struct Value {
  std::string text;
  int line = 0;
};
/// Texts by the path of their element below `annotation` or, in objects, below `object`.
using Values = std::map<std::string, Value>;

struct Object {
  int line = 0;
  Values values;
};

/// GMarkup's report of one file. Its callbacks judge nothing, because they must not throw.
struct Document {
  std::vector<std::string> open;  ///< names of the elements around the place that is read
  Values values;
  std::vector<Object> objects;

  bool in_object() const { return open.size() > 1 && open[1] == "object"; }
  std::string path() const {
    std::string path;
    for (std::size_t i = in_object() ? 2 : 1; i < open.size(); ++i)
      path += (path.empty() ? "" : "/") + open[i];
    return path;
  }
  Values& current() { return in_object() ? objects.back().values : values; }
};

int line_of(GMarkupParseContext* context) {
  int line = 0, character = 0;
  g_markup_parse_context_get_position(context, &line, &character);
  // GMarkup reports a tag when it has read one character behind it, which may end the line.
  return character <= 1 && line > 1 ? line - 1 : line;
}

void start_element(GMarkupParseContext* context, const gchar* name, const gchar**, const gchar**,
                   gpointer data, GError** error) {
  Document& document = *static_cast<Document*>(data);
  const auto fail = [&](const std::string& what) {
    g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "%s", what.c_str());
  };
  if (document.open.empty() && std::string(name) != "annotation")
    return fail("the outermost element is '" + std::string(name) + "', not 'annotation'");
  if (document.open.size() == kMostLevels)
    return fail("elements are nested more than " + std::to_string(kMostLevels) + " levels deep");
  document.open.emplace_back(name);
  const std::string path = document.path();
  if (document.in_object() && path.empty()) document.objects.push_back({line_of(context), {}});
  const bool unique = path == "name" || path == "difficult" || path.starts_with("bndbox/") ||
                      path.starts_with("size/");
  if (!document.current().try_emplace(path, Value{{}, line_of(context)}).second && unique)
    fail("the element '" + path + "' occurs twice");
}

void end_element(GMarkupParseContext*, const gchar*, gpointer data, GError**) {
  static_cast<Document*>(data)->open.pop_back();
}

void text(GMarkupParseContext*, const gchar* text, gsize size, gpointer data, GError**) {
  Document& document = *static_cast<Document*>(data);
  if (!document.open.empty()) document.current()[document.path()].text.append(text, size);
}

Document parse(const fs::path& file) {
  const std::string bytes = read_annotation(file);
  const GMarkupParser parser = {start_element, end_element, text, nullptr, nullptr};
  Document document;
  const std::unique_ptr<GMarkupParseContext, decltype([](GMarkupParseContext* context) {
                          g_markup_parse_context_free(context);
                        })>
      context(
          g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &document, nullptr));
  const std::size_t mark = bytes.starts_with("\xef\xbb\xbf") ? 3 : 0;
  GError* error = nullptr;
  if (!g_markup_parse_context_parse(context.get(), bytes.data() + mark,
                                    static_cast<gssize>(bytes.size() - mark), &error) ||
      !g_markup_parse_context_end_parse(context.get(), &error)) {
    // GMarkup begins most of its messages with the line.
    std::string message = error->message;
    g_error_free(error);
    if (message.starts_with("Error on line")) message = message.substr(message.find(": ") + 2);
    throw tandem::line_of(file, line_of(context.get())).error("is not XML as expected: " + message);
  }
  return document;
}

/// The values of one object or document, with messages that name the element and its line.
class Reader {
 public:
  Reader(const fs::path& file, int line, std::string path, const Values& values)
      : file_(file), line_(line), path_(std::move(path)), values_(values) {}

  bool has(const std::string& name) const { return values_.contains(name); }
  std::string text(const std::string& name) const { return trimmed(value(name).text); }
  double number(const std::string& name) const {
    const Value& found = value(name);
    return number_of(found.text, "the element '" + path_ + "/" + name + "'",
                     tandem::line_of(file_, found.line));
  }

 private:
  const Value& value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
      throw tandem::line_of(file_, line_)
          .error("the element '" + path_ + "' has no '" + name + "'");
    return found->second;
  }

  const fs::path& file_;
  const int line_;
  const std::string path_;
  const Values& values_;
};

void read_boxes(const fs::path& file, const Document& document, std::size_t photograph,
                DatasetBuilder& builder) {
  const Reader whole(file, 1, "annotation", document.values);
  // Some programs write a size of 0 where they do not know it.
  if (whole.has("size/width") && whole.number("size/width") != 0)
    builder.expect_size(photograph, whole.number("size/width"), whole.number("size/height"),
                        tandem::line_of(file, document.values.at("size/width").line));
  for (const Object& object : document.objects) {
    const Reader reader(file, object.line, "object", object.values);
    const double left = reader.number("bndbox/xmin"), top = reader.number("bndbox/ymin");
    const double right = reader.number("bndbox/xmax"), bottom = reader.number("bndbox/ymax");
    const bool difficult = reader.has("difficult") && reader.number("difficult") != 0;
    // Pixels are counted from 1, and the last one is part of the box.
    builder.add_box(photograph, reader.text("name"),
                    {left - 1, top - 1, right - left + 1, bottom - top + 1}, difficult,
                    tandem::line_of(file, object.line));
  }
}

fs::path annotations_of(const fs::path& folder) {
  return first_folder(folder, {"Annotations", "annotations"}, folder);
}

/// The files of a split: ImageSets/Main/trainval.txt has a stem in each line, and a flag in those
/// of one class.
std::vector<fs::path> files_of_split(const fs::path& path, const std::string& split) {
  const fs::path list = path / "ImageSets" / "Main" / (split + ".txt");
  std::vector<fs::path> files;
  for_each_line(list, [&](const std::string& line, const Place&) {
    if (std::string stem; std::istringstream(line) >> stem)
      files.push_back(annotations_of(path) / (stem + ".xml"));
  });
  return files;
}

bool is_format(const fs::path& path) { return !files_in(annotations_of(path), ".xml").empty(); }

Dataset read(const fs::path& path, const DatasetOptions& options) {
  const std::vector<fs::path> files = options.split.empty() ? files_in(annotations_of(path), ".xml")
                                                            : files_of_split(path, options.split);
  const fs::path folder = first_folder(path, {"JPEGImages", "images"}, path);
  std::map<std::string, std::string> picture_of_stem;
  for (const std::string& picture : photographs_below(folder.string()))
    picture_of_stem[fs::path(picture).stem().string()] = picture;

  DatasetBuilder builder("PASCAL VOC", options.label);
  for (const fs::path& file : files) {
    const Document document = parse(file);
    const auto picture = picture_of_stem.find(file.stem().string());
    if (picture == picture_of_stem.end())
      throw std::runtime_error("annotation '" + file.string() + "' has no picture: there is no '" +
                               (folder / file.stem()).string() + ".jpg', .png, .bmp, .pgm or .ppm");
    const std::size_t photograph =
        builder.add_photograph(fs::path(picture->second).filename().string(), picture->second);
    read_boxes(file, document, photograph, builder);
  }
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::voc

const tandem::DatasetFormat tandem::kVocFormat{
    "voc", "Annotations/*.xml and JPEGImages/ (PASCAL VOC)", voc::is_format, voc::read};
