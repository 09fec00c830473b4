// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/description.h>
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/stagesettings.h>
#include <gst/tandem/private/tensorspec.h>

namespace tandem {

_GstTandemDescription describe_stage(GstTandemStage* stage, const GstStructure* values) {
  const GstTandemStageClass* klass = GST_TANDEM_STAGE_GET_CLASS(stage);
  _GstTandemDescription description;
  description.stage.has_cpu = klass->compute != nullptr;
  description.stage.has_opencl = klass->enqueue || klass->enqueue_rows;
  if (klass->enqueue_rows) description.stage.whole.clear();
  if (klass->describe) klass->describe(stage, values, &description);
  return description;
}

StageDescription describe_now(GstTandemStage* stage) {
  return describe_stage(stage, read_values(stage).get()).stage;
}

const char* element_name(GstTandemStage* stage) {
  GstElementFactory* factory = gst_element_get_factory(GST_ELEMENT_CAST(stage));
  return factory ? GST_OBJECT_NAME(factory) : G_OBJECT_TYPE_NAME(stage);
}

}  // namespace tandem

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
