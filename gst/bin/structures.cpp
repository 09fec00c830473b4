// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/structures.h"

#include <gst/tandem/private/tensorpool.h>

#include <utility>

#include "gst/bin/run.h"
#include "model/predict/predict.h"

namespace tandem::bin {
namespace {

void set_if_known(GstStructure* structure, const char* field, double value) {
  if (known(value)) gst_structure_set(structure, field, G_TYPE_DOUBLE, value, nullptr);
}

void set_ms_if_known(GstStructure* structure, const char* field, double value_s) {
  set_if_known(structure, field, 1e3 * value_s);
}

GstStructure* prediction_structure(const Configuration& configuration, const Prediction& p) {
  GstStructure* made = gst_structure_new("prediction", "configuration", G_TYPE_STRING,
                                         to_string(configuration).c_str(), nullptr);
  set_if_known(made, "fps", p.throughput_fps);
  set_if_known(made, "energy", p.energy_j);
  set_ms_if_known(made, "latency", p.latency_s);
  return made;
}

void append(GValue* array, GstStructure* structure) {
  GValue entry = G_VALUE_INIT;
  g_value_init(&entry, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&entry, structure);
  gst_value_array_append_and_take_value(array, &entry);
}

// `training-spent`: where the time of trainings went, in what there was of it.
void set_spent(GstStructure* structure, const Spent& spent) {
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, 0);
  for (int i = 0; i < kSpentOn; ++i) {
    const Spent::Part& part = spent.parts[i];
    if (part.runs == 0) continue;
    append(&list, gst_structure_new("spent", "on", G_TYPE_STRING, to_string(SpentOn{i}), "runs",
                                    G_TYPE_INT, part.runs, "frames", G_TYPE_INT, part.frames,
                                    "seconds", G_TYPE_DOUBLE, part.seconds, nullptr));
  }
  gst_structure_take_value(structure, "training-spent", &list);
}

// `trials`: what a training tried, and why.
void set_trials(GstStructure* structure, const std::vector<Tried>& trials) {
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, static_cast<guint>(trials.size()));
  for (const Tried& trial : trials) {
    GstStructure* made = gst_structure_new("trial", "configuration", G_TYPE_STRING,
                                           to_string(trial.configuration).c_str(), "why",
                                           G_TYPE_STRING, trial.why.c_str(), nullptr);
    set_if_known(made, "fps", trial.fps);
    append(&list, made);
  }
  gst_structure_take_value(structure, "trials", &list);
}

// Means over the segments of split frames.
void add_split(const SplitStats& split, GstStructure* stats) {
  if (split.segments == 0) return;
  GstStructure* times = gst_structure_new("split-times", "segments", G_TYPE_UINT64,
                                          uint64_t{split.segments}, nullptr);
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

GstStructure* decision_structure(const Decision& d) {
  GstStructure* decision = gst_structure_new(
      "tandem-decision", "old", G_TYPE_STRING, to_string(d.before).c_str(), "new", G_TYPE_STRING,
      to_string(d.after).c_str(), "reason", G_TYPE_STRING, to_string(d.reason),
      "training-experiments", G_TYPE_INT, d.experiments, "training-trials", G_TYPE_INT, d.trials,
      "training-frames", G_TYPE_INT, d.training_frames, "training-seconds", G_TYPE_DOUBLE,
      d.training_s, "training-penalty", G_TYPE_DOUBLE, d.penalty_s, "target-missed", G_TYPE_BOOLEAN,
      d.choice.target_missed, "budget-exceeded", G_TYPE_BOOLEAN, d.choice.budget_exceeded,
      "latency-missed", G_TYPE_BOOLEAN, d.choice.latency_missed, "energy-unknown", G_TYPE_BOOLEAN,
      d.choice.energy_unknown, nullptr);
  set_if_known(decision, "predicted-fps", d.predicted.throughput_fps);
  set_if_known(decision, "predicted-energy", d.predicted.energy_j);
  set_ms_if_known(decision, "predicted-latency", d.predicted.latency_s);
  set_if_known(decision, "expected-loss", d.choice.expected_loss);
  set_if_known(decision, "measured-fps", d.measured.throughput_fps);
  set_if_known(decision, "measured-energy", d.measured.energy_j);
  set_ms_if_known(decision, "measured-latency", d.measured.latency_p95_s);
  set_spent(decision, d.spent);
  set_trials(decision, d.tried);
  GValue ranking = G_VALUE_INIT;
  gst_value_array_init(&ranking, d.choice.count);
  for (int i = 0; i < d.choice.count; ++i) {
    const Candidate& candidate = d.choice.ranked[i];
    append(&ranking, prediction_structure(candidate.configuration, candidate.prediction));
  }
  gst_structure_take_value(decision, "ranking", &ranking);
  return decision;
}

GstStructure* predictions_structure(const Learnt* learnt) {
  GstStructure* made = gst_structure_new_empty("tandem-predictions");
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, 0);
  if (learnt) {
    Model(learnt->findings.measurements)
        .predict_all([&](const Configuration& configuration, const Prediction& prediction) {
          append(&list, prediction_structure(configuration, prediction));
        });
  }
  gst_structure_take_value(made, "configurations", &list);
  return made;
}

void add_controller(const Controller& controller, GstStructure* stats) {
  const Measured measured = controller.measured();
  const Controller::Totals totals = controller.totals();
  set_if_known(stats, "predicted-fps", controller.predicted().throughput_fps);
  set_if_known(stats, "predicted-energy", controller.predicted().energy_j);
  set_ms_if_known(stats, "predicted-latency", controller.predicted().latency_s);
  set_if_known(stats, "expected-loss", controller.expected_loss());
  set_if_known(stats, "measured-fps", measured.throughput_fps);
  set_if_known(stats, "measured-energy", measured.energy_j);
  set_ms_if_known(stats, "latency-p50", measured.latency_p50_s);
  set_ms_if_known(stats, "latency-p95", measured.latency_p95_s);
  set_ms_if_known(stats, "waiting-p95", measured.waiting_p95_s);
  gst_structure_set(stats, "training", G_TYPE_BOOLEAN, controller.training(), "experiment",
                    G_TYPE_INT, controller.experiment(), "trial", G_TYPE_INT, controller.trial(),
                    "decisions", G_TYPE_INT, totals.decisions, "trainings", G_TYPE_INT,
                    totals.trainings, "training-experiments", G_TYPE_INT, totals.experiments,
                    "training-frames", G_TYPE_INT, totals.training_frames, "training-seconds",
                    G_TYPE_DOUBLE, totals.training_s, "training-penalty", G_TYPE_DOUBLE,
                    totals.penalty_s, "seconds", G_TYPE_DOUBLE, totals.stream_s, nullptr);
  set_spent(stats, totals.spent);
}

GstStructure* make_stats(Run* run) {
  GstStructure* stats = gst_structure_new_empty("tandem-stats");
  if (!run) return stats;
  const ExecutorStats counted = run->executor().stats();
  gst_structure_set(
      stats, "configuration", G_TYPE_STRING, run->configuration().c_str(), "cores", G_TYPE_INT,
      run->executor().cores(), "lanes", G_TYPE_INT, run->executor().configuration().lanes, "tasks",
      G_TYPE_INT, run->executor().configuration().tasks, "split", G_TYPE_INT,
      run->executor().configuration().cpu_share, "frames", G_TYPE_UINT64, uint64_t{counted.frames},
      "frames-cpu", G_TYPE_UINT64, uint64_t{counted.frames_cpu}, "frames-device", G_TYPE_UINT64,
      uint64_t{counted.frames_device}, "frames-mixed", G_TYPE_UINT64,
      uint64_t{counted.frames_mixed}, "frames-passed", G_TYPE_UINT64,
      uint64_t{counted.frames_passed}, "frames-in-bands", G_TYPE_UINT64,
      uint64_t{counted.frames_in_bands}, "frames-page-locked", G_TYPE_UINT64,
      run->frames_page_locked(), "frames-dropped", G_TYPE_UINT64, run->overload().dropped(),
      "device-failures", G_TYPE_UINT64, uint64_t{counted.device_failures}, "in-flight", G_TYPE_UINT,
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
  run->controller().add_stats(stats);
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, run->stages());
  for (int k = 0; k < run->stages(); ++k) {
    const auto& stage = counted.stages[k];
    append(&list, gst_structure_new("stage", "name", G_TYPE_STRING, run->adapter(k).name().c_str(),
                                    "cpu-frames", G_TYPE_UINT64, uint64_t{stage.cpu_frames},
                                    "device-frames", G_TYPE_UINT64, uint64_t{stage.device_frames},
                                    "fused-frames", G_TYPE_UINT64, uint64_t{stage.fused_frames},
                                    "cpu-ns", G_TYPE_UINT64, uint64_t{stage.cpu_ns}, "device-ns",
                                    G_TYPE_UINT64, uint64_t{stage.device_ns}, "can-split",
                                    G_TYPE_BOOLEAN, run->adapter(k).can_split(), nullptr));
  }
  gst_structure_take_value(stats, "stages", &list);
  return stats;
}

}  // namespace tandem::bin
