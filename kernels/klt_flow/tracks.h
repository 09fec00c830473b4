// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/klt_flow/klt_flow.h"

namespace tandem {

/// A feature in the frame that it was followed to.
struct KltTrack {
  float x = 0, y = 0;    ///< where it is now, pixels
  float dx = 0, dy = 0;  ///< how far it moved since the frame before
  uint32_t id = 0;       ///< from 1 on, never used again
  uint32_t age = 0;      ///< frames that it has been followed for, from 1 on
};

/// Joins the vectors of consecutive frames into tracks, because each frame's features are new. A
/// vector goes on from the track that ended nearest to where it begins. Each track goes on once,
/// the strongest features first. Other vectors begin tracks; tracks without a vector end.
class KltTracks {
 public:
  /// Writes a track for each vector that was found, in their order, and returns how many. Vectors
  /// begin within `most_distance` pixels of the track that they go on from. Allocates nothing once
  /// it has seen as many vectors.
  int join(const KltVector* vectors, int count, float most_distance, KltTrack* tracks);
  /// The next vectors begin tracks, all of them.
  void end_all() { ends_.clear(); }

 private:
  std::vector<KltTrack> ends_;  // id 0: gone on from
  uint32_t next_id_ = 1;
};

}  // namespace tandem
