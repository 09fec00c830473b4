// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>
#include <gst/tandem/tensormeta.h>

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "kernels/opencl/opencl.h"
#include "kernels/util/size_product.h"

namespace tandem {

/// The name of a tensor, interned: stages look for their inputs in every frame, and this compares
/// two pointers.
class TensorName {
 public:
  TensorName() = default;
  TensorName(const char* text) : text_(g_intern_string(text)) {}
  /// `text`: interned already, as the name of a GstTandemTensorMeta is.
  static TensorName of_interned(const char* text) {
    TensorName name;
    name.text_ = text;
    return name;
  }

  const char* text() const { return text_ ? text_ : ""; }
  bool operator==(const TensorName&) const = default;

 private:
  const char* text_ = nullptr;
};

/// Most tensors that one stage reads, and most that it writes.
inline constexpr int kMaxTensors = 8;

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

struct TensorSpec {
  TensorName name;
  GstTandemElementType type = GST_TANDEM_ELEMENT_TYPE_UINT8;
  guint dimensions = 1;
  std::array<gsize, GST_TANDEM_TENSOR_MAX_DIMENSIONS> shape{};  ///< outermost first
  bool scratch = false;  ///< for the stage alone: never on the frame

  /// SIZE_MAX: more than any memory has. As bytes() does.
  std::size_t elements() const { return product_of_sizes(std::span(shape).first(dimensions)); }
  std::size_t bytes() const {
    return product_of_sizes(std::array{elements(), element_bytes(type)});
  }
  bool operator==(const TensorSpec& other) const {
    return name == other.name && type == other.type && dimensions == other.dimensions &&
           shape == other.shape && scratch == other.scratch;
  }

  /// A tensor of elements that C++ has as T, with these sides, outermost first.
  template <class T, class... Sides>
  static TensorSpec of(TensorName name, Sides... sides) {
    constexpr auto kType = sizeof(T) == 1          ? GST_TANDEM_ELEMENT_TYPE_UINT8
                           : sizeof(T) == 2        ? GST_TANDEM_ELEMENT_TYPE_FLOAT16
                           : std::is_integral_v<T> ? GST_TANDEM_ELEMENT_TYPE_INT32
                                                   : GST_TANDEM_ELEMENT_TYPE_FLOAT32;
    return {name, kType, sizeof...(sides), {static_cast<gsize>(sides)...}};
  }
  /// The same as scratch.
  template <class T, class... Sides>
  static TensorSpec scratch_of(TensorName name, Sides... sides) {
    TensorSpec spec = of<T>(name, sides...);
    spec.scratch = true;
    return spec;
  }
  /// Scratch for StageFrame::upload: 8-bit pixels, none where there is no device.
  static TensorSpec of_pixels(const char* name, int width, int height, bool device) {
    return scratch_of<guint8>(name, device ? height : 0, width);
  }
};

/// A tensor of one frame.
struct SlotTensor {
  TensorSpec spec;
  GstMemory* memory = nullptr;       ///< borrowed
  opencl::Buffer* buffer = nullptr;  ///< the content of the memory
};

}  // namespace tandem
