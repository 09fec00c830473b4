// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/part_source.h"

#include <gst/tandem/private/ref.h>

#include <algorithm>
#include <optional>

#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/pipeline/pads.h"

namespace tandem {
namespace {

constexpr char kSeek[] = "tandem-part-seek";
constexpr uint64_t kFirstStepBack_ns = 2'000'000'000;

}  // namespace

PartSource::PartSource(GstElement* source, const Part& part)
    : source_(source), part_(part), filter_(part), seeks_(part.start_ns.has_value()) {
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(source, "src"));
  add_probe(pad.get(), kFrames | kEvents | GST_PAD_PROBE_TYPE_EVENT_FLUSH,
            [this](GstPad* from, GstPadProbeInfo* info) {
              return is_frame(info) ? take_frame(from, GST_PAD_PROBE_INFO_BUFFER(info))
                                    : take_event(GST_PAD_PROBE_INFO_EVENT(info));
            });
}

GstPadProbeReturn PartSource::take_frame(GstPad* pad, GstBuffer* frame) {
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) return GST_PAD_PROBE_DROP;
    if (seeks_) {
      ask_for_seek();
      return GST_PAD_PROBE_DROP;
    }
    const auto verdict =
        stopped_ ? std::nullopt
                 : filter_.see(GST_BUFFER_PTS_IS_VALID(frame) ? std::optional(GST_BUFFER_PTS(frame))
                                                              : std::nullopt);
    if (verdict == PartFilter::Verdict::kPass) return GST_PAD_PROBE_OK;
    if (verdict == PartFilter::Verdict::kTooLate && back_ns_ < part_.seek_ns) {
      back_ns_ = back_ns_ == 0 ? kFirstStepBack_ns : 4 * back_ns_;
      seeks_ = true;
      asked_ = false;
      ask_for_seek();
    }
    // Whatever a seek to the very beginning gives is all that there is.
    const bool hopeless = verdict == PartFilter::Verdict::kTooLate && !seeks_;
    if (verdict && !hopeless) return GST_PAD_PROBE_DROP;
    ended_ = true;
  }
  end_stream_behind(pad);
  return GST_PAD_PROBE_DROP;
}

GstPadProbeReturn PartSource::take_event(GstEvent* event) {
  const std::scoped_lock lock(mutex_);
  if (ended_) return GST_PAD_PROBE_DROP;
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP && asked_) {
    seeks_ = asked_ = false;
    filter_.restart();
  }
  if (GST_EVENT_TYPE(event) != GST_EVENT_EOS || !seeks_) return GST_PAD_PROBE_OK;
  ask_for_seek();  // the video may be over before anybody has sought
  return GST_PAD_PROBE_DROP;
}

// A streaming thread cannot seek: its own flush would wait for it.
void PartSource::ask_for_seek() {
  if (asked_) return;
  asked_ = true;
  gst_element_post_message(
      source_, gst_message_new_element(GST_OBJECT(source_), gst_structure_new_empty(kSeek)));
}

void PartSource::handle(const GstStructure* message) {
  if (!gst_structure_has_name(message, kSeek)) return;
  uint64_t position_ns = part_.seek_ns;
  {
    const std::scoped_lock lock(mutex_);
    position_ns -= std::min(back_ns_, position_ns);
  }
  const ObjectRef<GstPad> pad(gst_element_get_static_pad(source_, "src"));
  const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT |
                                               GST_SEEK_FLAG_SNAP_BEFORE);
  if (gst_pad_send_event(
          pad.get(), gst_event_new_seek(1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
                                        static_cast<gint64>(position_ns), GST_SEEK_TYPE_NONE, 0)))
    return;
  GST_ELEMENT_ERROR(source_, STREAM, FAILED, ("No seek is possible in the video."),
                    ("position %" G_GUINT64_FORMAT " ns", position_ns));
}

std::string PartSource::problem() const {
  const std::scoped_lock lock(mutex_);
  return filter_.problem();
}

void PartSource::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
}

}  // namespace tandem
