// SPDX-License-Identifier: LGPL-2.1-or-later
// A program of yours with tandembin inside. It makes the pipeline from a launch line or piece by
// piece, sets an objective, prints the bin's decisions, and sets another objective while it plays.
//
//   embed [launch|add] [VIDEO]      without a video: a test pattern that ends by itself
//
// Build it alone with:
//   g++ -std=c++20 embed.cpp -o embed $(pkg-config --cflags --libs gstreamer-1.0)
#include <gst/gst.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* kStages = "vividfilter scales=1 ! vividhistogram ! vividclassifier";

GstElement* make(const char* factory) {
  GstElement* element = gst_element_factory_make(factory, nullptr);
  if (!element) throw std::runtime_error(std::string("GStreamer has no element ") + factory);
  return element;
}

void check(GError* error) {
  if (!error) return;
  const std::string why = error->message;
  g_error_free(error);
  throw std::runtime_error(why);
}

// One way: everything in a launch line.
GstElement* from_launch_line(const std::string& source) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(
      (source + " ! tandembin.( name=tandem " + kStages + " ) ! fakesink sync=false").c_str(),
      &error);
  check(error);
  return pipeline;
}

// The other: stages are added to the bin, which links them in the order in which they came.
GstElement* piece_by_piece(const std::string& source) {
  GError* error = nullptr;
  GstElement* input = gst_parse_bin_from_description(source.c_str(), TRUE, &error);
  check(error);
  GstElement* pipeline = gst_pipeline_new(nullptr);
  GstElement* bin = make("tandembin");
  gst_object_set_name(GST_OBJECT(bin), "tandem");
  GstElement* filter = make("vividfilter");
  g_object_set(filter, "scales", 1, nullptr);
  gst_bin_add_many(GST_BIN(bin), filter, make("vividhistogram"), make("vividclassifier"), nullptr);
  GstElement* sink = make("fakesink");
  gst_bin_add_many(GST_BIN(pipeline), input, bin, sink, nullptr);
  if (gst_element_link_many(input, bin, sink, nullptr)) return pipeline;
  gst_object_unref(pipeline);
  throw std::runtime_error("the source does not fit tandembin");
}

void print_decision(const GstStructure* decision) {
  double fps = 0;
  gst_structure_get_double(decision, "predicted-fps", &fps);
  std::printf(
      "%s: %s -> %s, %.1f frames/s expected\n", gst_structure_get_string(decision, "reason"),
      gst_structure_get_string(decision, "old"), gst_structure_get_string(decision, "new"), fps);
}

// Returns when the stream ends; throws when it breaks.
void play(GstElement* pipeline) {
  GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline), "tandem");
  gst_util_set_object_arg(G_OBJECT(bin), "metric", "throughput");
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::string error;
  bool objective_changed = false;
  for (bool ended = false; !ended;) {
    GstMessage* message = gst_bus_timed_pop(bus, GST_CLOCK_TIME_NONE);
    const GstStructure* structure = gst_message_get_structure(message);
    switch (GST_MESSAGE_TYPE(message)) {
      case GST_MESSAGE_ELEMENT:
        if (!gst_structure_has_name(structure, "tandem-decision")) break;
        print_decision(structure);
        if (objective_changed) break;
        // Whatever it optimised, from now on it may take as little energy as 25 frames/s allow.
        // Without an energy source it says so and goes on with the most throughput.
        g_object_set(bin, "target-fps", 25.0, nullptr);
        objective_changed = true;
        break;
      case GST_MESSAGE_WARNING:
      case GST_MESSAGE_ERROR: {
        GError* what = nullptr;
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
          gst_message_parse_error(message, &what, nullptr);
          error = what->message;
          ended = true;
        } else {
          gst_message_parse_warning(message, &what, nullptr);
          std::printf("warning: %s\n", what->message);
        }
        g_error_free(what);
        break;
      }
      case GST_MESSAGE_EOS:
        ended = true;
        break;
      default:
        break;
    }
    gst_message_unref(message);
  }
  gchar* configuration = nullptr;
  g_object_get(bin, "configuration", &configuration, nullptr);
  std::printf("ran as %s at the end\n", configuration ? configuration : "nothing");
  g_free(configuration);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(bin);
  if (!error.empty()) throw std::runtime_error(error);
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const bool add = argc > 1 && std::string(argv[1]) == "add";
  const std::string source =
      argc > 2 ? "filesrc location=\"" + std::string(argv[2]) + "\" ! decodebin ! videoconvert"
               : "videotestsrc pattern=ball num-buffers=3000 ! capsfilter "
                 "caps=video/x-raw,width=320,height=240";
  try {
    GstElement* pipeline = add ? piece_by_piece(source) : from_launch_line(source);
    play(pipeline);
    gst_object_unref(pipeline);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "embed: %s\n", e.what());
    return 1;
  }
  return 0;
}
