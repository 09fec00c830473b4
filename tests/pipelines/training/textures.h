// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

#include "tests/pipelines/training/folder.h"

namespace tandem {

/// A PNG file of grey pixels whose width is a multiple of four.
std::string png_of(int width, int height, const void* pixels);

/// A picture of 96x80 pixels, as a PNG file: of dots (0), slanted stripes with gaps (1) or a bent
/// chessboard (2), each `seed` another one, among noise.
std::string texture(int kind, uint64_t seed);

/// Writes `count` pictures of each kind into class folders, whose paths begin with `prefix`.
void write_textures(const Folder& folder, int count, const std::string& prefix = "");

}  // namespace tandem
