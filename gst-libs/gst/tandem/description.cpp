// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/description.h>
#include <gst/tandem/private/classwork.h>

void gst_tandem_description_add_input(GstTandemDescription* description, const gchar* tensor,
                                      const gchar* producer) {
  g_return_if_fail(description->stage.inputs.size() < tandem::kMaxTensors);
  description->stage.inputs.push_back({tensor, g_intern_string(producer)});
}

void gst_tandem_description_set_kernel(GstTandemDescription* description, const gchar* source,
                                       const gchar* name) {
  description->kernel_source = source;
  description->kernel_name = name;
  description->stage.has_opencl = true;
}

void gst_tandem_description_set_reads_luma(GstTandemDescription* description, gboolean reads_luma) {
  description->reads_luma = reads_luma != FALSE;
}

void gst_tandem_description_set_serial(GstTandemDescription* description, gboolean serial) {
  description->stage.serial = serial != FALSE;
}

void gst_tandem_description_set_changes_pixels(GstTandemDescription* description,
                                               gboolean changes_pixels) {
  description->stage.changes_pixels = changes_pixels != FALSE;
}

void gst_tandem_description_set_needs_previous(GstTandemDescription* description,
                                               gboolean needs_previous) {
  description->stage.needs_previous = needs_previous != FALSE;
}

void gst_tandem_description_set_repeats_from(GstTandemDescription* description,
                                             const gchar* element) {
  description->stage.repeats_from = g_intern_string(element);
}

void gst_tandem_description_set_has_cpu(GstTandemDescription* description, gboolean has_cpu) {
  description->stage.has_cpu = has_cpu != FALSE;
}

void gst_tandem_description_set_has_device(GstTandemDescription* description, gboolean has_device) {
  description->stage.has_opencl = has_device != FALSE;
}

void gst_tandem_description_set_whole(GstTandemDescription* description, const gchar* why) {
  description->stage.whole = why ? why : "";
}

void gst_tandem_description_set_joins(GstTandemDescription* description, gboolean joins) {
  description->stage.joins = joins != FALSE;
}

void gst_tandem_description_set_bands(GstTandemDescription* description, gboolean bands) {
  description->stage.bands = bands != FALSE;
}
