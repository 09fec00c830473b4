// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/tensormeta.h>

#include <cstddef>

namespace tandem {

/// The bytes of one element of a tensor.
inline std::size_t element_bytes(GstTandemElementType type) {
  switch (type) {
    case GST_TANDEM_ELEMENT_TYPE_UINT8:
      return 1;
    case GST_TANDEM_ELEMENT_TYPE_FLOAT16:
      return 2;
    case GST_TANDEM_ELEMENT_TYPE_INT32:
    case GST_TANDEM_ELEMENT_TYPE_FLOAT32:
      break;
  }
  return 4;
}

}  // namespace tandem
