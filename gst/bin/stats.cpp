// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/stats.h"

#include <gst/tandem/private/tensorpool.h>

#include <utility>

namespace tandem {

namespace {

// Means over the segments of split frames.
void add_split(const SplitStats& split, GstStructure* stats) {
  if (split.segments == 0) return;
  GstStructure* times =
      gst_structure_new("split-times", "segments", G_TYPE_UINT64, split.segments, nullptr);
  const std::pair<const char*, uint64_t> parts[] = {
      {"prepare-us", split.prepare_ns}, {"enqueue-us", split.enqueue_ns},
      {"cores-us", split.cores_ns},     {"device-us", split.device_ns},
      {"wait-us", split.wait_ns},       {"join-us", split.join_ns}};
  for (const auto& [name, ns] : parts)
    gst_structure_set(times, name, G_TYPE_DOUBLE,
                      1e-3 * static_cast<double>(ns) / static_cast<double>(split.segments),
                      nullptr);
  gst_structure_set(stats, "split-times", GST_TYPE_STRUCTURE, times, nullptr);
  gst_structure_free(times);
}

}  // namespace

GstStructure* make_bin_stats(BinRun* run) {
  GstStructure* stats = gst_structure_new_empty("tandem-stats");
  if (!run) return stats;
  const ExecutorStats counted = run->executor().stats();
  gst_structure_set(
      stats, "configuration", G_TYPE_STRING, run->configuration().c_str(), "cores", G_TYPE_INT,
      run->executor().cores(), "lanes", G_TYPE_INT, run->executor().configuration().lanes, "tasks",
      G_TYPE_INT, run->executor().configuration().tasks, "split", G_TYPE_INT,
      run->executor().configuration().cpu_share, "frames", G_TYPE_UINT64, counted.frames,
      "frames-cpu", G_TYPE_UINT64, counted.frames_cpu, "frames-device", G_TYPE_UINT64,
      counted.frames_device, "frames-mixed", G_TYPE_UINT64, counted.frames_mixed, "frames-in-bands",
      G_TYPE_UINT64, counted.frames_in_bands, "frames-page-locked", G_TYPE_UINT64,
      run->frames_page_locked(), "frames-dropped", G_TYPE_UINT64, run->overload().dropped(),
      "device-failures", G_TYPE_UINT64, counted.device_failures, "in-flight", G_TYPE_UINT,
      static_cast<guint>(counted.in_flight), nullptr);
  const opencl::Counters& opencl = opencl::counters();
  gst_structure_set(stats, "tensors-made", G_TYPE_UINT64, TensorPool::allocations(),
                    "opencl-buffers-made", G_TYPE_UINT64, opencl.buffers_created.load(),
                    "opencl-programs-made", G_TYPE_UINT64, opencl.programs_built.load(),
                    "opencl-objects-made", G_TYPE_UINT64, opencl.objects_created.load(), nullptr);
  if (const auto context = run->context()) {
    gst_structure_set(stats, "opencl-device", G_TYPE_STRING, context->device().name.c_str(),
                      "opencl-devices", G_TYPE_INT, run->executor().usable_devices(), nullptr);
  }
  add_split(counted.split, stats);
  run->control().add_stats(stats);
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, run->stages());
  for (int k = 0; k < run->stages(); ++k) {
    const auto& stage = counted.stages[k];
    GValue entry = G_VALUE_INIT;
    g_value_init(&entry, GST_TYPE_STRUCTURE);
    g_value_take_boxed(
        &entry, gst_structure_new("stage", "name", G_TYPE_STRING, run->adapter(k).name().c_str(),
                                  "cpu-frames", G_TYPE_UINT64, stage.cpu_frames, "device-frames",
                                  G_TYPE_UINT64, stage.device_frames, "fused-frames", G_TYPE_UINT64,
                                  stage.fused_frames, "cpu-ns", G_TYPE_UINT64, stage.cpu_ns,
                                  "device-ns", G_TYPE_UINT64, stage.device_ns, "can-split",
                                  G_TYPE_BOOLEAN, run->adapter(k).can_split(), nullptr));
    gst_value_array_append_and_take_value(&list, &entry);
  }
  gst_structure_take_value(stats, "stages", &list);
  return stats;
}

}  // namespace tandem
