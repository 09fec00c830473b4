// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"

/// Changes to photographs of people before a detector learns them.
namespace tandem {

/// A photograph with its pixels.
struct LoadedPhotograph {
  Photograph photograph;
  GreyImage image;
};

/// The height in pixels that half of the people exceed; 0 when there are none.
double median_height(const Photograph& photograph);

/// The photographs and, behind them, a copy of each whose median_height exceeds `soft_height`,
/// reduced to that height; none if it is 0. The detector learns the copies enlarged: people in them
/// are as soft as in video, which has few pixels, noise removal and compression. A detector of
/// sharp people alone prefers boxes that are too large for soft ones, because shrinking sharpens.
std::vector<LoadedPhotograph> with_soft_copies(const std::vector<LoadedPhotograph>& photographs,
                                               double soft_height);

/// A photograph with a third of its size added on each side by repeating its border. People fill
/// most of a portrait, so that a window in which they are too small would not fit; video has room
/// for it, and mistakes there.
LoadedPhotograph with_room(const LoadedPhotograph& p);

}  // namespace tandem
