// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/klt_flow/tracks.h"

namespace tandem {

int KltTracks::join(const KltVector* vectors, int count, float most_distance, KltTrack* tracks) {
  int joined = 0;
  for (int i = 0; i < count; ++i) {
    const KltVector& v = vectors[i];
    if (!(v.found > 0)) continue;
    float least = most_distance * most_distance;
    KltTrack* from = nullptr;
    for (KltTrack& end : ends_) {
      const float dx = end.x - v.x, dy = end.y - v.y;
      if (end.id == 0 || dx * dx + dy * dy > least) continue;
      least = dx * dx + dy * dy;
      from = &end;
    }
    KltTrack& track = tracks[joined++];
    track = {
        v.x + v.dx, v.y + v.dy, v.dx, v.dy, from ? from->id : next_id_++, from ? from->age + 1 : 1};
    if (from) from->id = 0;
  }
  ends_.assign(tracks, tracks + joined);
  return joined;
}

}  // namespace tandem
