// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tests/kernels/network/tensors.h"

namespace tandem::network::test {

/// The first output that OpenCV's dnn computes of a network with one input. Empty: this build has
/// no OpenCV.
std::optional<Elements> opencv_dnn(const std::string& path, const Shape& shape,
                                   const Elements& input);

/// What computes that input again and again, on the thread that calls alone. Empty: the same.
std::function<void()> opencv_dnn_frames(const std::string& path, const Shape& shape,
                                        const Elements& input);

}  // namespace tandem::network::test
