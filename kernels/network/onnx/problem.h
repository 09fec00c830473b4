// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/network/network.h"

namespace tandem::network::reader {

/// A file that cannot be read. Each caller adds where: operator and node, then the file.
struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A name from the file, in quotes and safe for a terminal.
std::string in_quotes(std::string_view name);

/// The sides, as in "3 x 416 x 416"; "a scalar" if there are none.
std::string text_of(const Shape& shape);

}  // namespace tandem::network::reader
