// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "pipelines/training/dataset/photograph.h"

namespace tandem {

/// The contents of planes in check-stage. Noise alone has no smooth areas and no mean far from the
/// middle, so that code behind a threshold may never run on it.
enum class Scene { kNoise, kGradient, kEdges, kBlobs, kText, kBlack, kWhite, kPicture };
const char* name_of(Scene scene);

/// Levels of a plane, rows without gaps. Planes of other seeds look different. `picture`, which
/// kPicture needs, is scaled to the plane.
std::vector<uint8_t> levels_of(Scene scene, unsigned seed, int width, int height,
                               const GreyImage* picture);

}  // namespace tandem
