// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/operators/operators.h"

#include <map>

namespace tandem::network::reader {

const Operator* find_operator(std::string_view name, int opset) {
  static const std::map<std::string_view, const Operator*> all = [] {
    std::map<std::string_view, const Operator*> map;
    for (const auto family :
         {activation_operators(), arithmetic_operators(), constant_operators(), layout_operators(),
          matmul_operators(), resize_operators(), slice_operators(), window_operators()})
      for (const Operator& one : family) map[one.name] = &one;
    return map;
  }();
  const auto found = all.find(name);
  if (found == all.end() || opset < found->second->first_opset || opset > found->second->last_opset)
    return nullptr;
  return found->second;
}

}  // namespace tandem::network::reader
