// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/controlleradapter.h"

#include "gst/bin/runplan.h"
#include "gst/bin/structures.h"
#include "kernels/opencl/opencl.h"
#include "model/predict/predict.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

// With a slower disk the stream begins without the measurements of earlier processes.
constexpr std::chrono::milliseconds kMostWaitForKnowledge{1000};
// Frames between two checks of the latency.
constexpr int kLatencyFrames = 64;

}  // namespace

ControllerAdapter::ControllerAdapter(GstElement* bin, Executor& executor, const RunPlan& plan)
    : bin_(bin),
      messages_(bin),
      executor_(executor),
      kept_(plan.kept),
      seat_(std::make_shared<Seat>(plan.neighbourhood->machine,
                                   [&executor] { return executor.cpu_s(); })),
      energy_(plan.energy),
      device_opens_(static_cast<bool>(plan.open_device)),
      conditions_(plan.conditions),
      controller_(plan.chain, plan.knowledge, [this] { return probe(); },
                  {plan.neighbourhood, seat_}),
      learner_([this] { learn(); }) {
  latency_.decided(count_frames_at_a_time(), kUnknown);
  controller_.decided = [this](const Decision& decision) {
    pending_decisions_.push_back(decision);
  };
  controller_.trained = [this](const Conditions& trained_on, const Learnt& learnt) {
    if (kept_.adds)
      kept_.keeper->keep(known_of(trained_on, learnt, KnowledgeFolder::wall_clock_s()));
  };
  controller_.observed = [this](const Observation& seen) {
    GST_DEBUG_OBJECT(
        bin_,
        "measured %s%s: %.1f fps, %.1f of the device, %.3f ms; %.4g core s a frame, %d frames in "
        "%.3f s, %d of them waited for the source; tensors' memory made so far: %" G_GUINT64_FORMAT,
        to_string(seen.configuration).c_str(), seen.spaced ? " spaced" : "", 1 / seen.frame_s,
        1 / seen.device_frame_s, 1e3 * seen.latency_s, seen.cpu_s, seen.frames, seen.lasted_s,
        seen.starved_frames, guint64{opencl::counters().buffers_created});
  };
  controller_.looked = [this](const Observation& seen) {
    GST_DEBUG_OBJECT(
        bin_, "looked at %s%s: %.1f fps, %d frames in %.3f s, %d of them waited for the source",
        to_string(seen.configuration).c_str(), seen.spaced ? " spaced" : "", 1 / seen.frame_s,
        seen.frames, seen.lasted_s, seen.starved_frames);
  };
  controller_.drifted = [this](const Slowdown& by) {
    GST_DEBUG_OBJECT(bin_, "frames take %.3f times as long on the cores, %.3f on the device",
                     by.cores, by.device);
  };
  controller_.tries = [this](const std::string& why) { GST_INFO_OBJECT(bin_, "%s", why.c_str()); };
  controller_.tried = [this](const Trial& trial) {
    GST_DEBUG_OBJECT(
        bin_,
        "tried %s: %.1f fps (%.1f expected), %.3f ms (%.3f), %.4g J a frame (%.4g); looks: %zu",
        to_string(trial.configuration).c_str(), trial.measured.throughput_fps,
        trial.predicted.throughput_fps, 1e3 * trial.measured.latency_s,
        1e3 * trial.predicted.latency_s, trial.measured.energy_j, trial.predicted.energy_j,
        trial.looks.size());
  };
}

// Fetches the measurements of earlier processes, of frames of any size, before a decision.
void ControllerAdapter::recall() {
  if (!kept_.keeper) return;
  Conditions about;
  {
    std::lock_guard lock(mutex_);
    if (conditions_.stages.empty() || device_opens_) return;  // it is not clear yet of what
    about = conditions_;
    about.width = about.height = about.cores = 0;
    if (!recalled_.insert(about).second) return;
  }
  std::vector<Known> known = kept_.keeper->recall(about, kMostWaitForKnowledge);
  const auto lock = caught_up();
  controller_.know(std::move(known));
}

Probe ControllerAdapter::probe() const {
  Probe probe = read_probe(energy_.meter.get());
  probe.others_cpu_s = seat_->cpu_s_of_others();
  probe.buffers_made = opencl::counters().buffers_created;
  return probe;
}

// All bins share the memory for frames in flight.
int ControllerAdapter::window() const { return std::max(1, window_ / seat_->share().bins); }

// Passes on the frames handed over so far. Every event that changes the controller's knowledge
// holds the lock that is returned.
std::unique_lock<std::mutex> ControllerAdapter::caught_up() {
  std::unique_lock lock(mutex_);
  learner_.drain([this](const FrameFacts& frame) {
    const auto step = controller_.frame_done(frame.times, frame.device_stages);
    if (step) run(*step);
    pending_report_ |= step || !pending_decisions_.empty();
    ++frames_unwatched_;
    if (const uint64_t epoch = seat_->epoch(); std::exchange(seen_epoch_, epoch) != epoch)
      executor_.set_window(window());
  });
  return lock;
}

// Passes an event to the controller and its step to the executor.
template <class Event>
void ControllerAdapter::handle(Event&& event) {
  const auto lock = caught_up();
  run(event(controller_));
}

void ControllerAdapter::run(const Step& step) {
  GST_DEBUG_OBJECT(bin_, "%s %s", controller_.training() ? "measures" : "runs",
                   to_string(step.configuration).c_str());
  executor_.configure(step.configuration, step.time_stages, step.spaced);
}

void ControllerAdapter::warn_later(std::string text) {
  if (text.empty()) return;
  std::lock_guard lock(mutex_);
  pending_warnings_.push_back(std::move(text));
}

void ControllerAdapter::report_warnings() {
  std::vector<std::string> warnings;
  {
    std::lock_guard lock(mutex_);
    warnings = std::exchange(pending_warnings_, {});
  }
  for (const std::string& text : warnings)
    GST_ELEMENT_WARNING(bin_, RESOURCE, NOT_FOUND, ("%s", text.c_str()), (nullptr));
}

void ControllerAdapter::report_if_due() {
  {
    std::lock_guard lock(mutex_);
    if (!pending_report_) return;
  }
  report();
}

void ControllerAdapter::report() {
  report_warnings();
  std::vector<Decision> decisions;
  std::vector<std::string> trouble;
  std::string missing;
  bool latency_changed = false;
  {
    std::lock_guard lock(mutex_);
    pending_report_ = false;
    decisions = std::exchange(pending_decisions_, {});
    missing = energy_.missing;
    const bool settled = !controller_.training();
    const double p95_s = settled ? controller_.predicted().latency_s : kUnknown;
    const std::lock_guard answer(latency_mutex_);
    latency_changed = latency_.decided(count_frames_at_a_time(), p95_s);
    if (energy_.meter) trouble = energy_.meter->take_messages();
  }
  if (kept_.keeper) {
    for (const std::string& text : kept_.keeper->take_messages())
      GST_ELEMENT_WARNING(bin_, RESOURCE, OPEN_READ_WRITE, ("Knowledge: %s", text.c_str()),
                          ("the stream continues"));
  }
  for (const Decision& decision : decisions) messages_.post(decision, missing);
  for (const std::string& text : trouble)
    GST_ELEMENT_WARNING(bin_, RESOURCE, READ, ("Energy: %s", text.c_str()), (nullptr));
  if (latency_changed)
    gst_element_post_message(bin_, gst_message_new_latency(GST_OBJECT_CAST(bin_)));
}

void ControllerAdapter::set_rules(const AdaptRules& rules) {
  recall();  // with another device there is other knowledge
  handle([&](Controller& c) { return c.set_rules(rules); });
}

void ControllerAdapter::set_objective(const Objective& objective) {
  messages_.objective_changes();
  {
    std::lock_guard lock(mutex_);
    follow_energy(objective);
  }
  handle([&](Controller& c) { return c.set_objective(objective); });
}

void ControllerAdapter::follow_energy(const Objective& objective) {
  const bool closely = energy_.meter && (energy_.asked_for || needs_energy(objective));
  follows_energy_ = closely ? energy_.meter->follow_closely() : nullptr;
}

void ControllerAdapter::device_opened(EnergySource energy) {
  const auto lock = caught_up();
  device_opens_ = false;
  energy_ = std::move(energy);
  follow_energy(controller_.objective());
  controller_.set_energy(energy_.domains, energy_.resolution_s);
}

void ControllerAdapter::set_device(const DeviceSide& device) {
  const auto lock = caught_up();
  if (device_lost_) return;
  conditions_.device = device.name;
  controller_.set_device(device);
}

void ControllerAdapter::keep_rules_with(const DeviceSide& device) {
  {
    std::lock_guard lock(mutex_);
    if (!controller_.awaits_device()) return;
  }
  set_device(device);
  handle([](Controller& c) { return c.set_rules(AdaptRules(c.rules())); });
}

void ControllerAdapter::retrain() {
  handle([](Controller& c) { return c.retrain(); });
}

void ControllerAdapter::device_failed() {
  handle([this](Controller& c) {
    device_lost_ = true;
    return c.device_failed();
  });
  report();
}

void ControllerAdapter::device_left_out(const DeviceSide& left) {
  handle([&](Controller& c) {
    conditions_.device = left.name;
    return c.device_left_out(left);
  });
  report();
}

void ControllerAdapter::frames_come_every(const FrameInterval& interval, bool live) {
  {
    const auto lock = caught_up();
    const bool rated = live && interval.known();
    controller_.set_source(rated ? 1e9 / static_cast<double>(interval.ns()) : 0);
    const std::lock_guard answer(latency_mutex_);
    const uint64_t before_ns = latency_.answer_ns(frame_ns_);
    frame_ns_ = interval.ns();
    if (latency_.answer_ns(frame_ns_) == before_ns) return;
  }
  gst_element_post_message(bin_, gst_message_new_latency(GST_OBJECT_CAST(bin_)));
}

void ControllerAdapter::frames_are(const GstVideoInfo& info, const std::string& work, int period) {
  window_ = executor_.window();
  executor_.set_window(window());
  {
    std::lock_guard lock(mutex_);
    conditions_.stages = work;
    period_ = period;
    conditions_.format = gst_video_format_to_string(info.finfo->format);
    conditions_.width = info.width;
    conditions_.height = info.height;
  }
  recall();
}

bool ControllerAdapter::knows_frames() const {
  std::lock_guard lock(mutex_);
  return controller_.knows_work(conditions_);
}

bool ControllerAdapter::may_know_frames() const {
  Conditions about;
  {
    std::lock_guard lock(mutex_);
    if (controller_.knows_work(conditions_, true)) return true;
    about = conditions_;
  }
  return kept_.keeper && kept_.keeper->knows(about, kMostWaitForKnowledge);
}

void ControllerAdapter::frames_changed() {
  handle([&](Controller& c) { return c.frames_changed(conditions_, executor_.window(), period_); });
  report();
}

// Messages of the learner come first, and messages that it is posting are waited for.
void ControllerAdapter::catch_up() {
  caught_up().unlock();
  learner_.wait_for_learn();
  report_if_due();
  learner_.wait_for_learn();
}

void ControllerAdapter::stream_ended() {
  catch_up();
  {
    std::lock_guard lock(mutex_);
    controller_.stream_ended();
  }
  report();
  learner_.wait_for_learn();
}

void ControllerAdapter::leave_machine() {
  learner_.end();
  seat_->leave();
}

void ControllerAdapter::end() {
  learner_.end();
  learn();
  leave_machine();
}

// On the learner's thread. Frames that exceed the answered latency are late in a sink that
// synchronises.
void ControllerAdapter::learn() {
  bool latency_changed = false;
  {
    const auto lock = caught_up();
    if (frames_unwatched_ >= kLatencyFrames) {
      frames_unwatched_ = 0;
      const std::lock_guard answer(latency_mutex_);
      latency_changed = !controller_.training() && latency_.measured(controller_.latency_p95_s());
    }
  }
  report_if_due();
  if (latency_changed)
    gst_element_post_message(bin_, gst_message_new_latency(GST_OBJECT_CAST(bin_)));
}

bool ControllerAdapter::runs_on_device() const {
  std::lock_guard lock(mutex_);
  return controller_.configuration().mapping.any_device();
}

uint64_t ControllerAdapter::latency_ns() const {
  std::lock_guard lock(latency_mutex_);
  return latency_.answer_ns(frame_ns_);
}

uint64_t ControllerAdapter::frame_ns() const {
  std::lock_guard lock(latency_mutex_);
  return frame_ns_;
}

int ControllerAdapter::count_frames_at_a_time() const {
  const Configuration& configuration = controller_.configuration();
  if (controller_.training()) return executor_.cores() + 1;
  const bool coarse = configuration.granularity == Granularity::coarse;
  const int frames = coarse ? configuration.threads : configuration.frames_at_once;
  if (configuration.mapping.device_stages() == 0) return frames;
  return frames + (coarse ? 0 : 1) + configuration.lanes - 1;
}

void ControllerAdapter::add_stats(GstStructure* stats) const {
  std::lock_guard lock(mutex_);
  add_controller(controller_, stats);
  if (energy_.meter) {
    const MeterDescription& meter = energy_.meter->description();
    gst_structure_set(stats, "energy-source", G_TYPE_STRING, meter.name.c_str(), "energy-coverage",
                      G_TYPE_STRING, meter.coverage.c_str(), nullptr);
  }
}

GstStructure* ControllerAdapter::predictions() const {
  std::lock_guard lock(mutex_);
  return predictions_structure(controller_.learnt());
}

}  // namespace tandem::bin
