// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/elements.h"

namespace tandem {

std::vector<NamedType> network_elements() {
  return {{"dnninput", gst_dnn_input_get_type()},
          {"dnnstage", gst_dnn_stage_get_type()},
          {"dnnboxes", gst_dnn_boxes_get_type()}};
}

}  // namespace tandem
