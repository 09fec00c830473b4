// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

namespace tandem::test {

/// Writes NAME.onnx into temporary_folder(), whose output is its input, an image of these sides, and
/// NAME.onnx.modelinfo with this text; empty: none. Returns the path of the ONNX file.
std::string network_model_file(const std::string& name, const std::vector<int>& sides,
                               const std::string& info);

}  // namespace tandem::test
