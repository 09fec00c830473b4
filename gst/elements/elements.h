// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib-object.h>

#include <vector>

/// The types of the plugin's elements. A file with the element's name in a folder beside this one
/// describes what it does.

GType gst_vivid_filter_get_type();
GType gst_vivid_histogram_get_type();
GType gst_vivid_classifier_get_type();

GType gst_klt_pyramid_get_type();
GType gst_klt_features_get_type();
GType gst_klt_flow_get_type();
GType gst_klt_tracks_get_type();

GType gst_scene_features_get_type();
GType gst_scene_classifier_get_type();

GType gst_srad_extract_get_type();
GType gst_srad_prepare_get_type();
GType gst_srad_reduce_get_type();
GType gst_srad_diffuse_get_type();
GType gst_srad_update_get_type();
GType gst_srad_compress_get_type();

GType gst_dnn_input_get_type();
GType gst_dnn_stage_get_type();
GType gst_dnn_boxes_get_type();

namespace tandem {

struct NamedType {
  const char* name;
  GType type;
};
/// The elements of neural networks; none in a build without them.
std::vector<NamedType> network_elements();

}  // namespace tandem

/// A stage that the user wrote in one file: see docs/stage-files.md.
GType gst_kernel_stage_get_type();

GType gst_tandem_overlay_get_type();
GType gst_tandem_meta_2_json_get_type();
GType gst_tandem_publish_get_type();
GType gst_tandem_track_get_type();
