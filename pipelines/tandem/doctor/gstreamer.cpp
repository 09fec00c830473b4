// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <set>
#include <sstream>

#include "files/data_folder.h"
#include "kernels/network/have_networks.h"
#include "kernels/scene_classifier/scene_model.h"
#include "kernels/vivid_classifier/vivid_model.h"
#include "pipelines/tandem/doctor/doctor.h"
#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/encoding.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/package_advice.h"
#include "pipelines/tandem/pipeline/pipeline_loop.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

using State = Finding::State;
using Json = nlohmann::ordered_json;

struct Format {
  const char* name;
  const char* caps;
  const char* package;
};
constexpr Format kFormats[] = {
    {"MP4", "video/quicktime", "gstreamer1.0-plugins-good"},
    {"Matroska and WebM", "video/x-matroska", "gstreamer1.0-plugins-good"},
    {"AVI", "video/x-msvideo", "gstreamer1.0-plugins-good"},
    {"MPEG-TS", "video/mpegts", "gstreamer1.0-plugins-bad"},
    {"H.264", "video/x-h264", "gstreamer1.0-libav"},
    {"H.265", "video/x-h265", "gstreamer1.0-libav"},
    {"MPEG-4", "video/mpeg,mpegversion=4", "gstreamer1.0-libav"},
    {"MPEG-2", "video/mpeg,mpegversion=2", "gstreamer1.0-libav"},
    {"VP8", "video/x-vp8", "gstreamer1.0-plugins-good"},
    {"VP9", "video/x-vp9", "gstreamer1.0-plugins-good"},
    {"AV1", "video/x-av1", "gstreamer1.0-plugins-bad"},
    {"Motion JPEG", "image/jpeg", "gstreamer1.0-plugins-good"},
};

bool can_decode(const char* description) {
  const CapsRef caps(gst_caps_from_string(description));
  GList* all =
      gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DECODABLE, GST_RANK_MARGINAL);
  GList* fitting = gst_element_factory_list_filter(all, caps.get(), GST_PAD_SINK, FALSE);
  // A parser alone takes the format without making pictures of it.
  bool found = false;
  for (GList* item = fitting; item; item = item->next) {
    found |= !gst_element_factory_list_is_type(GST_ELEMENT_FACTORY(item->data),
                                               GST_ELEMENT_FACTORY_TYPE_PARSER);
  }
  gst_plugin_feature_list_free(fitting);
  gst_plugin_feature_list_free(all);
  return found;
}

std::string factory_file(const char* name) {
  GstElementFactory* factory = gst_element_factory_find(name);
  if (!factory) return "";
  GstPlugin* plugin = gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(factory));
  const gchar* file = plugin ? gst_plugin_get_filename(plugin) : nullptr;
  std::string result = file ? file : "(built in)";
  if (plugin) gst_object_unref(plugin);
  gst_object_unref(factory);
  return result;
}

// tandembin, the stages of every application ("a ! b scales=1") and what draws.
std::vector<std::string> plugin_elements() {
  std::vector<std::string> names = {"tandembin"};
  for (const Application& application : applications()) {
    if (application.needs_model && !network::kHaveNetworks) continue;
    for (const std::string& stage : split(application.bench_stages, '!')) {
      std::istringstream words(stage);
      words >> names.emplace_back();
    }
  }
  names.emplace_back("tandemoverlay");
  return names;
}

void examine_plugin(Examination& result) {
  Json elements = Json::object();
  std::string missing, file;
  for (const std::string& name : plugin_elements()) {
    const std::string found = factory_file(name.c_str());
    elements[name] = !found.empty();
    if (found.empty()) {
      missing += (missing.empty() ? "" : ", ") + name;
    } else {
      file = found;
    }
  }
  result.data["plugin"] = {{"file", file.empty() ? Json(nullptr) : Json(file)},
                           {"elements", elements}};
  if (!file.empty()) result.add({State::good, "the plugin: " + file});
  if (!missing.empty()) {
    result.add({State::missing, "missing elements: " + missing, advice_for_element("tandembin")});
  }
}

void examine_decoders(Examination& result) {
  Json decoders = Json::object();
  std::string found, missing;
  std::set<std::string> packages;
  for (const Format& format : kFormats) {
    const bool can = can_decode(format.caps);
    decoders[format.name] = can;
    std::string& list = can ? found : missing;
    list += (list.empty() ? "" : ", ") + std::string(format.name);
    if (!can) packages.insert(format.package);
  }
  result.data["decoders"] = std::move(decoders);
  if (!found.empty()) result.add({State::good, "reads " + found});
  if (missing.empty()) return;
  std::string advice = "sudo apt-get install";
  for (const std::string& package : packages) advice += " " + package;
  result.add({State::missing, "cannot read " + missing, advice});
}

void examine_encoders(Examination& result) {
  Json encoders = Json::object();
  std::set<std::string> seen;
  std::string found;
  for (const Encoding& encoding : encodings()) {
    Json& entry = encoders[encoding.extension];
    if (!entry.is_null() || !is_available(encoding)) continue;
    const std::string description = encoding.description;
    entry = description.substr(0, description.find(' '));
    found += (found.empty() ? "" : ", ") + std::string(encoding.extension) + " (" +
             entry.get<std::string>() + ")";
  }
  if (!found.empty()) result.add({State::good, "writes " + found});
  for (const auto& [extension, encoder] : encoders.items()) {
    if (encoder.is_null()) {
      result.add({State::missing, "cannot write " + extension,
                  "sudo apt-get install gstreamer1.0-libav gstreamer1.0-plugins-good"});
    }
  }
  result.data["encoders"] = std::move(encoders);
}

// A model that a stage loads when none is named. `load` throws when it cannot be used.
template <class Load>
void examine_model(const char* field, const char* what, const std::string& file, Load load,
                   Examination& result) {
  const std::string path = data_folder() + "/models/" + file;
  Json& data = result.data["cpu_path"][field];
  data = nullptr;
  try {
    const std::string origin = load(path).origin;
    data = path;
    result.add({State::good, std::string(what) + ": " + path + " (" + origin + ")"});
  } catch (const std::exception& error) {
    result.add({State::missing, error.what(),
                "Set TANDEM_DATA_DIR to the folder that holds models/" + file + "."});
  }
}

}  // namespace

Examination examine_gstreamer(const TellFinding& tell) {
  const GlibString version(gst_version_string());
  Examination result{.tell = tell};
  result.add({State::good, version.get()});
  result.data["gstreamer"] = version.get();
  examine_plugin(result);
  examine_decoders(result);
  examine_encoders(result);
  return result;
}

Examination examine_cpu_path(const TellFinding& tell) {
  Examination result{.tell = tell};
  result.data["cpu_path"] = {{"works", false}};
  examine_model("model", "the person detector", "person.vivid", load_vivid_model, result);
  examine_model("scene_model", "the scene classifier", "scenes.scene", load_scene_model, result);
  try {
    Pipeline pipeline(gst_pipeline_new("check"));
    BinSettings settings;
    settings.stages = find_application("vivid").stages;
    settings.device = "cpu";
    settings.knowledge = "off";
    GstElement* source = pipeline.add(make_element("videotestsrc"));
    g_object_set(source, "num-buffers", 2, nullptr);
    GstElement* bin = pipeline.add(make_tandembin(settings));
    Pipeline::link(source, bin);
    Pipeline::link(bin, pipeline.add(make_element("fakesink")));
    play(pipeline, "the test pattern", {[] {}, [] {}});
    const bool works = read_stats(bin).on_cpu == 2;
    result.data["cpu_path"]["works"] = works;
    result.add(works ? Finding{State::good, "two frames passed all stages"}
                     : Finding{State::missing, "no frame came out of tandembin"});
  } catch (const std::exception& error) {
    const auto* failure = dynamic_cast<const Failure*>(&error);
    result.add({State::missing, error.what(), failure ? failure->advice : ""});
  }
  return result;
}

}  // namespace tandem
