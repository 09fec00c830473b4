// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <glib.h>

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

}  // namespace tandem
