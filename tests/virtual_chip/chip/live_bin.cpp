// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/live_bin.h"

#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include "gst/bin/appcontexts.h"
#include "gst/bin/tandembin.h"
#include "tests/virtual_chip/chip/virtual_stage.h"

namespace tandem::test {

LiveBin::LiveBin(const Chip& chip, unsigned seed, const std::string& properties)
    : chip_(std::make_shared<LiveChip>(chip, seed)) {
  install(chip_);
  std::string stages;
  for (std::size_t k = 0; k < chip.stages.size(); ++k) {
    stages += (k == 0 ? "virtualstage chip=" : " ! virtualstage chip=") + chip.name +
              " stage=" + std::to_string(k);
  }
  const std::string line =
      "videotestsrc name=source ! capsfilter name=size ! tandembin name=bin opencl-device=any "
      "cores=" +
      std::to_string(chip.cores) + " " + properties + " stages=\"" + stages +
      "\" ! fakesink name=sink signal-handoffs=true sync=false";
  GError* error = nullptr;
  pipeline_ = gst_parse_launch(line.c_str(), &error);
  if (error) throw std::runtime_error(line + ": " + error->message);
  const ContextRef context(bin::energy_meter_context(chip_->meter()));
  gst_element_set_context(pipeline_, context.get());
  // Chips that run side by side know nothing of each other.
  const ContextRef alone(bin::neighbourhood_context(std::make_shared<Neighbourhood>(chip.cores)));
  gst_element_set_context(pipeline_, alone.get());
  g_signal_connect(element("sink"), "handoff", G_CALLBACK(on_frame), this);
  GstPad* pad = gst_element_get_static_pad(element("source"), "src");
  const auto count = [](GstPad*, GstPadProbeInfo*, gpointer in) {
    ++*static_cast<std::atomic<uint64_t>*>(in);
    return GST_PAD_PROBE_OK;
  };
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, count, &in_, nullptr);
  gst_object_unref(pad);
  change_size(16);
  gst_element_set_state(pipeline_, GST_STATE_PLAYING);
}

LiveBin::~LiveBin() {
  gst_element_set_state(pipeline_, GST_STATE_NULL);
  gst_object_unref(pipeline_);
}

GstElement* LiveBin::element(const char* name) const {
  GstElement* found = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  gst_object_unref(found);
  return found;
}

void LiveBin::on_frame(GstElement*, GstBuffer* buffer, GstPad*, gpointer data) {
  auto* self = static_cast<LiveBin*>(data);
  if (GST_BUFFER_OFFSET(buffer) != self->out_) self->in_order_ = false;
  ++self->out_;
}

void LiveBin::change_size(int width) {
  GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                      G_TYPE_INT, width, "height", G_TYPE_INT, 16, nullptr);
  g_object_set(element("size"), "caps", caps, nullptr);
  gst_caps_unref(caps);
}

bool LiveBin::wait_for_frames(int more) const {
  const uint64_t until = out_ + static_cast<uint64_t>(more);
  for (int i = 0; i < 12000 && out_ < until; ++i) g_usleep(10000);
  return out_ >= until;
}

double LiveBin::stat(const char* name) const {
  GstStructure* stats = nullptr;
  g_object_get(element("bin"), "stats", &stats, nullptr);
  double value = 0;
  EXPECT_TRUE(gst_structure_get_double(stats, name, &value)) << name;
  gst_structure_free(stats);
  return value;
}

std::optional<LiveBin::Decision> LiveBin::wait_for_decision(int most_s) {
  GstBus* bus = gst_element_get_bus(pipeline_);
  std::optional<Decision> decision;
  const auto types = static_cast<GstMessageType>(GST_MESSAGE_ELEMENT | GST_MESSAGE_ERROR);
  while (GstMessage* message = gst_bus_timed_pop_filtered(bus, most_s * GST_SECOND, types)) {
    const GstStructure* told = gst_message_get_structure(message);
    if (gst_structure_has_name(told, "tandem-decision")) {
      decision = {gst_structure_get_string(told, "reason"), gst_structure_get_string(told, "new")};
      gst_structure_get_int(told, "training-experiments", &decision->experiments);
    }
    const bool failed = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR;
    gst_message_unref(message);
    if (decision || failed) break;
  }
  gst_object_unref(bus);
  return decision;
}

bool LiveBin::end_complete() {
  gst_element_send_event(element("source"), gst_event_new_eos());
  GstBus* bus = gst_element_get_bus(pipeline_);
  const auto types = static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, types);
  const bool ended = message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message) gst_message_unref(message);
  gst_object_unref(bus);
  return ended && in_order_ && in_ == out_;
}

void register_elements() {
  gst_element_register(nullptr, "tandembin", GST_RANK_NONE, gst_tandem_bin_get_type());
  gst_element_register(nullptr, "virtualstage", GST_RANK_NONE, virtual_stage_get_type());
}

}  // namespace tandem::test
