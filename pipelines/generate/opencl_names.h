// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

/// Names of C in the OpenCL C of a stage.
namespace tandem::generate {

/// A function of <math.h> or <stdlib.h> that both sides of a stage have.
bool is_known_function(std::string_view name);

/// A type of <stdint.h> or <stddef.h> that a stage has under some name.
bool is_known_type(std::string_view name);

/// "sqrt" for sqrtf, "uchar" for uint8_t, nothing for static; other words as they are.
std::string opencl_name(std::string_view word);

/// Whether a stage or its languages have the name already.
bool is_taken_name(const std::string& name);

}  // namespace tandem::generate
