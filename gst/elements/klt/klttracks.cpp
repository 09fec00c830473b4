// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>

#include <cstddef>
#include <span>

#include "gst/elements/elements.h"
#include "gst/elements/klt/klttensors.h"
#include "gst/elements/stageelement.h"
#include "kernels/klt_flow/tracks.h"

namespace tandem {
namespace {

static_assert(sizeof(KltTrack) == sizeof(GstTandemMotionVector) &&
              offsetof(KltTrack, id) == offsetof(GstTandemMotionVector, id) &&
              offsetof(KltTrack, age) == offsetof(GstTandemMotionVector, age));

// Stages see the part that is not cut off; places on a buffer are in the whole.
GstTandemMotionVector* in_the_whole(const GstVideoCropMeta& crop,
                                    std::span<const GstTandemMotionVector> seen) {
  auto* const vectors =
      static_cast<GstTandemMotionVector*>(g_memdup2(seen.data(), seen.size_bytes()));
  for (GstTandemMotionVector& v : std::span(vectors, seen.size())) {
    v.x += static_cast<float>(crop.x);
    v.y += static_cast<float>(crop.y);
  }
  return vectors;
}

class KltTracksWork final : public StageWork {
 public:
  KltTracksWork(std::shared_ptr<KltTracks> tracks, gsize features, double most_distance)
      : tracks_(std::move(tracks)),
        features_(static_cast<int>(features)),
        most_distance_(static_cast<float>(most_distance)) {
    outputs_ = {
        TensorSpec::scratch_of<uint8_t>("tracks", features, sizeof(KltTrack)),
        TensorSpec::scratch_of<int>("count", 1),
    };
  }

  int rows() const override { return 1; }

  // Frames pass a serial stage one by one and in order. One without a predecessor has no vectors,
  // and ends all tracks.
  void compute(StageFrame& frame, Rows) const override {
    *frame.output<int>(1) = tracks_->join(reinterpret_cast<const KltVector*>(frame.input<float>(0)),
                                          features_, most_distance_, frame.output<KltTrack>(0));
  }

  void publish(StageFrame& frame, GstBuffer* buffer) const override {
    const int count = *frame.result<int>(1);
    if (count == 0) return;
    const std::span vectors(frame.result<GstTandemMotionVector>(0),
                            static_cast<std::size_t>(count));
    if (const GstVideoCropMeta* crop = gst_buffer_get_video_crop_meta(buffer)) {
      GstTandemMotionVector* const moved = in_the_whole(*crop, vectors);
      const gsize bytes = vectors.size_bytes();
      gst_buffer_add_tandem_motion_meta(
          buffer, moved, static_cast<guint>(count),
          gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, moved, bytes, 0, bytes, moved, g_free));
      return;
    }
    gst_buffer_add_tandem_motion_meta(buffer, vectors.data(), static_cast<guint>(count),
                                      gst_memory_ref(frame.memory(0)));
  }

 private:
  const std::shared_ptr<KltTracks> tracks_;
  const int features_;
  const float most_distance_;
};

struct KltTracksElement {
  struct Settings {
    double max_distance = 3;
  };

  static constexpr char kTypeName[] = "GstKltTracks";
  static constexpr char kLongName[] = "KLT tracks";
  static constexpr char kSummary[] =
      "Tracking, stage 4 of 4: joins kltflow's vectors into tracks with numbers and puts them on "
      "the frames";

  static StageDescription description() {
    return {.inputs = {{kKltVectors, "kltflow"}},
            .serial = true,
            .has_opencl = false,
            .whole = "only the CPU computes it"};
  }

  static constexpr Property<Settings> kProperties[] = {
      {"max-distance", "Largest distance",
       "Largest distance between the end of a track and the feature that continues it "
       "(pixels)",
       &Settings::max_distance, 0, 100},
  };

  std::unique_ptr<KltTracksWork> make_work(const Settings& settings, const WorkRequest& request) {
    return std::make_unique<KltTracksWork>(tracks, request.inputs[0].spec.shape[0],
                                           settings.max_distance);
  }

  // Their numbers go on: an application would take a new track for an old one otherwise.
  void restart() { tracks->end_all(); }

  const std::shared_ptr<KltTracks> tracks = std::make_shared<KltTracks>();
};

}  // namespace
}  // namespace tandem

GType gst_klt_tracks_get_type() {
  return tandem::StageElement<tandem::KltTracksElement>::get_type();
}
