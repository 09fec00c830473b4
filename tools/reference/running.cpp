// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/reference/running.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gst/tandem/tensormeta.h>

#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

#include "pipelines/tandem/bench/chains.h"
#include "tools/reference/elements.h"

namespace tandem::reference {
namespace {

using Json = nlohmann::ordered_json;

constexpr GstClockTime kPatience = 120 * GST_SECOND;
constexpr int kMostFrames = 100000;  // far more than a training takes

/// A pipeline that is stopped at the end.
struct Pipeline : ObjectRef<GstElement> {
  using ObjectRef<GstElement>::ObjectRef;
  Pipeline(Pipeline&&) = default;
  ~Pipeline() {
    if (get()) gst_element_set_state(get(), GST_STATE_NULL);
  }
};

Pipeline parse(const std::string& line) {
  GError* error = nullptr;
  Pipeline pipeline(gst_parse_launch_full(
      line.c_str(), nullptr, static_cast<GstParseFlags>(GST_PARSE_FLAG_FATAL_ERRORS), &error));
  if (pipeline) return pipeline;
  const std::string why = error->message;
  g_error_free(error);
  throw std::runtime_error(line + ": " + why);
}

// Plays until an element message is the `wanted` one, which is returned, or to the end.
MiniObjectRef<GstMessage> play(GstElement* pipeline, bool (*wanted)(const GstStructure*)) {
  const ObjectRef<GstBus> bus(gst_element_get_bus(pipeline));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (;;) {
    MiniObjectRef<GstMessage> message(gst_bus_timed_pop_filtered(
        bus.get(), kPatience,
        static_cast<GstMessageType>(int{GST_MESSAGE_EOS} | int{GST_MESSAGE_ERROR} |
                                    int{GST_MESSAGE_ELEMENT})));
    if (!message) throw std::runtime_error("a pipeline does not end");
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return {};
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) {
      GError* error = nullptr;
      gst_message_parse_error(message.get(), &error, nullptr);
      const std::string why = error->message;
      g_error_free(error);
      throw std::runtime_error(why);
    }
    if (wanted && wanted(gst_message_get_structure(message.get()))) return message;
  }
}

bool ends_a_training(const GstStructure* told) {
  int experiments = 0;
  return gst_structure_has_name(told, "tandem-decision") &&
         gst_structure_get_int(told, "training-experiments", &experiments) && experiments > 0;
}

std::string source(int frames, int width, int height) {
  return "videotestsrc num-buffers=" + std::to_string(frames) +
         " ! video/x-raw,format=GRAY8,width=" + std::to_string(width) +
         ",height=" + std::to_string(height);
}

// What a probe behind one stage knows.
struct Watch {
  std::string element;
  std::set<const GstMemory*>* seen;  // tensors that came from the stages before
  Json* tensors;
};

Json describe_tensor(const GstTandemTensorMeta& tensor, const std::string& element) {
  static const char* const types[] = {"uint8", "int32", "float32", "float16"};
  Json shape = Json::array();
  for (guint i = 0; i < tensor.dimensions; ++i) shape.push_back(tensor.shape[i]);
  return {{"name", tensor.name},
          {"element", element},
          {"type", types[tensor.element_type]},
          {"shape", shape}};
}

GstPadProbeReturn on_frame(GstPad*, GstPadProbeInfo* info, gpointer data) {
  const Watch& watch = *static_cast<Watch*>(data);
  gpointer state = nullptr;
  const GType api = g_type_from_name("GstTandemTensorMetaAPI");
  while (GstMeta* meta =
             gst_buffer_iterate_meta_filtered(GST_PAD_PROBE_INFO_BUFFER(info), &state, api)) {
    const auto& tensor = *reinterpret_cast<GstTandemTensorMeta*>(meta);
    if (watch.seen->insert(tensor.memory).second)
      watch.tensors->push_back(describe_tensor(tensor, watch.element));
  }
  return GST_PAD_PROBE_OK;
}

}  // namespace

Json application_chains() {
  Json chains = Json::array();
  for (const BenchChain& chain : kBenchChains) {
    // Names are the words at the start and behind each "!".
    Json names = Json::array();
    std::istringstream words(std::string("! ") + chain.stages);
    for (std::string word, name; words >> word;) {
      if (word == "!" && words >> name) names.push_back(name);
    }
    chains.push_back(names);
  }
  return chains;
}

Json describe_tensors() {
  Json tensors = Json::array();
  for (const BenchChain& chain : kBenchChains) {
    const Pipeline pipeline =
        parse(source(1, kWidth, kHeight) + " ! " + chain.stages + " ! fakesink");
    std::set<const GstMemory*> seen;
    GstIterator* elements = gst_bin_iterate_elements(GST_BIN(pipeline.get()));
    GValue item = G_VALUE_INIT;
    while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
      auto* element = GST_ELEMENT(g_value_get_object(&item));
      const GType stage = g_type_from_name("GstTandemStage");
      if (stage && g_type_is_a(G_OBJECT_TYPE(element), stage)) {
        g_object_set(element, "device", 1, nullptr);  // the CPU, which every machine has
        const ObjectRef<GstPad> pad(gst_element_get_static_pad(element, "src"));
        auto* watch = new Watch{GST_OBJECT_NAME(gst_element_get_factory(element)), &seen, &tensors};
        gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_frame, watch,
                          [](gpointer data) { delete static_cast<Watch*>(data); });
      }
      g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(elements);
    play(pipeline.get(), nullptr);
  }
  return tensors;
}

Json describe_telling() {
  // Small frames: what is told has as many fields. A model of the energy tells joules on any
  // machine.
  const Pipeline pipeline =
      parse(source(kMostFrames, 160, 120) +
            " ! tandembin name=bin knowledge=off metric=efficiency opencl-device=any "
            "energy-source=model:c=12+35,g=8+150,u=6 "
            "stages=\"vividfilter scales=1 ! vividhistogram ! vividclassifier\" ! fakesink");
  const ObjectRef<GstElement> bin(gst_bin_get_by_name(GST_BIN(pipeline.get()), "bin"));
  const MiniObjectRef<GstMessage> decision = play(pipeline.get(), ends_a_training);
  if (!decision) throw std::runtime_error("tandembin has learnt nothing");
  Json told = {{"tandem-decision", describe_structure(gst_message_get_structure(decision.get()))}};
  for (const char* name : {"stats", "predictions"}) {
    GstStructure* structure = nullptr;
    g_object_get(bin.get(), name, &structure, nullptr);
    told[name] = describe_structure(structure);
    gst_structure_free(structure);
  }
  return told;
}

}  // namespace tandem::reference
