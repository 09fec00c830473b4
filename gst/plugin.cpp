// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gst/tandem/motionmeta.h>
#include <gst/tandem/tensormeta.h>

#include "gst/bin/tandembin.h"
#include "gst/elements/elements.h"

static gboolean plugin_init(GstPlugin* plugin) {
  std::vector<tandem::NamedType> elements{
      {"tandembin", gst_tandem_bin_get_type()},
      {"vividfilter", gst_vivid_filter_get_type()},
      {"vividhistogram", gst_vivid_histogram_get_type()},
      {"vividclassifier", gst_vivid_classifier_get_type()},
      {"kltpyramid", gst_klt_pyramid_get_type()},
      {"kltfeatures", gst_klt_features_get_type()},
      {"kltflow", gst_klt_flow_get_type()},
      {"klttracks", gst_klt_tracks_get_type()},
      {"scenefeatures", gst_scene_features_get_type()},
      {"sceneclassifier", gst_scene_classifier_get_type()},
      {"sradextract", gst_srad_extract_get_type()},
      {"sradprepare", gst_srad_prepare_get_type()},
      {"sradreduce", gst_srad_reduce_get_type()},
      {"sraddiffuse", gst_srad_diffuse_get_type()},
      {"sradupdate", gst_srad_update_get_type()},
      {"sradcompress", gst_srad_compress_get_type()},
      {"kernelstage", gst_kernel_stage_get_type()},
      {"tandemoverlay", gst_tandem_overlay_get_type()},
      {"tandemmeta2json", gst_tandem_meta_2_json_get_type()},
      {"tandempublish", gst_tandem_publish_get_type()},
      {"tandemtrack", gst_tandem_track_get_type()},
  };
  const std::vector<tandem::NamedType> networks = tandem::network_elements();
  elements.insert(elements.end(), networks.begin(), networks.end());
  gst_tandem_tensor_meta_get_info();
  gst_tandem_motion_meta_get_info();
  for (const auto& element : elements) {
    // Rank NONE: autopluggers must not put these into players.
    if (!gst_element_register(plugin, element.name, GST_RANK_NONE, element.type)) return FALSE;
  }
  return TRUE;
}

#define PACKAGE "tandem"
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, tandem,
                  "Video analytics on CPU cores and an OpenCL device", plugin_init, TANDEM_VERSION,
                  "LGPL", "Tandem", TANDEM_PACKAGE_ORIGIN)
