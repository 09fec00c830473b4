// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/bincontrol.h"

#include "model/predict.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem {
namespace {

// A disk that takes longer is no help: the stream begins, and learns anew.
constexpr std::chrono::milliseconds kMostWaitForKnowledge{1000};

void set_if_known(GstStructure* structure, const char* field, double value) {
  if (known(value)) gst_structure_set(structure, field, G_TYPE_DOUBLE, value, nullptr);
}

GstStructure* prediction_structure(const Configuration& configuration, const Prediction& p) {
  GstStructure* made = gst_structure_new("prediction", "configuration", G_TYPE_STRING,
                                         to_string(configuration).c_str(), nullptr);
  set_if_known(made, "fps", p.throughput_fps);
  set_if_known(made, "energy", p.energy_j);
  return made;
}

void append(GValue* array, GstStructure* structure) {
  GValue entry = G_VALUE_INIT;
  g_value_init(&entry, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&entry, structure);
  gst_value_array_append_and_take_value(array, &entry);
}

}  // namespace

Domains domains_of(const MeterDescription& meter, bool device_on_cores, bool device_in_package) {
  const auto domain = [](bool covered, bool sees_both) {
    if (!covered) return Domain::absent;
    return sees_both ? Domain::additive : Domain::dominant;
  };
  // What has no counter of its own is in U (docs/energy.md).
  const bool u_sees_both =
      (device_on_cores && !meter.covers.c) || (device_in_package && !meter.covers.g);
  return {domain(meter.covers.c, device_on_cores), domain(meter.covers.g, false),
          domain(meter.covers.u, u_sees_both)};
}

BinControl::BinControl(GstElement* bin, Executor& executor, const Chain& chain,
                       const Conditions& conditions, std::shared_ptr<Knowledge> knowledge,
                       const BinKnowledge& kept, std::shared_ptr<EnergyMeter> meter,
                       const std::string& missing_energy,
                       const std::shared_ptr<Neighbourhood>& neighbourhood)
    : bin_(bin),
      executor_(executor),
      missing_energy_(missing_energy),
      kept_(kept),
      meter_(std::move(meter)),
      seat_(
          std::make_shared<Seat>(neighbourhood->machine, [&executor] { return executor.cpu_s(); })),
      conditions_(conditions),
      controller_(chain, std::move(knowledge), [this] { return probe(); }, {neighbourhood, seat_}) {
  controller_.decided = [this](const Decision& decision) { untold_.push_back(decision); };
  controller_.trained = [this](const Conditions& trained_on, const Learnt& learnt) {
    if (kept_.adds)
      kept_.keeper->keep(known_of(trained_on, learnt, KnowledgeFolder::wall_clock_s()));
  };
  controller_.tried = [this](const Trial& trial) {
    GST_DEBUG_OBJECT(bin_, "tried %s: %.1f fps (%.1f expected), %.4g J a frame (%.4g); looks: %zu",
                     to_string(trial.configuration).c_str(), trial.measured.throughput_fps,
                     trial.predicted.throughput_fps, trial.measured.energy_j,
                     trial.predicted.energy_j, trial.looks.size());
  };
}

// What earlier processes learnt of such frames of any size, before it decides.
void BinControl::recall() {
  if (!kept_.keeper) return;
  Conditions about;
  {
    std::lock_guard lock(mutex_);
    if (conditions_.stages.empty()) return;  // no frame has come
    about = conditions_;
    about.width = about.height = about.cores = 0;
    if (!recalled_.insert(about).second) return;
  }
  std::vector<Known> known = kept_.keeper->recall(about, kMostWaitForKnowledge);
  std::lock_guard lock(mutex_);
  controller_.know(std::move(known));
}

Probe BinControl::probe() const {
  Probe probe = read_probe(meter_.get());
  probe.others_cpu_s = seat_->cpu_s_of_others();
  return probe;
}

// The memory for frames in flight is there once for all bins.
int BinControl::window() const { return std::max(1, window_ / seat_->share().bins); }

// Lets the controller answer and the executor follow. True when there is something to tell.
template <class Event>
bool BinControl::handle(Event&& event) {
  std::lock_guard lock(mutex_);
  const std::optional<Step> step = event(controller_);
  if (!step) return false;
  GST_DEBUG_OBJECT(bin_, "%s %s", controller_.training() ? "measures" : "runs",
                   to_string(step->configuration).c_str());
  executor_.configure(step->configuration, step->time_stages);
  return true;
}

void BinControl::tell() {
  std::vector<Decision> decisions;
  std::vector<std::string> trouble;
  bool latency_changed = false;
  {
    std::lock_guard lock(mutex_);
    decisions = std::exchange(untold_, {});
    const int frames = count_frames_at_a_time();
    latency_changed = std::exchange(told_frames_at_a_time_, frames) != frames;
    if (meter_) trouble = meter_->take_messages();
  }
  if (kept_.keeper) {
    for (const std::string& text : kept_.keeper->take_messages())
      GST_ELEMENT_WARNING(bin_, RESOURCE, OPEN_READ_WRITE, ("Knowledge: %s", text.c_str()),
                          ("the stream goes on"));
  }
  for (const Decision& decision : decisions) {
    post(decision);
    warn(decision);
  }
  for (const std::string& text : trouble)
    GST_ELEMENT_WARNING(bin_, RESOURCE, READ, ("Energy: %s", text.c_str()), (nullptr));
  if (latency_changed)
    gst_element_post_message(bin_, gst_message_new_latency(GST_OBJECT_CAST(bin_)));
}

void BinControl::set_rules(const AdaptRules& rules) {
  recall();  // with another device there is other knowledge
  handle([&](Controller& c) { return std::optional(c.set_rules(rules)); });
}

void BinControl::set_objective(const Objective& objective) {
  {
    std::lock_guard lock(mutex_);
    told_energy_ = told_target_ = told_budget_ = false;
  }
  handle([&](Controller& c) { return std::optional(c.set_objective(objective)); });
}

void BinControl::set_device(const DeviceSide& device) {
  std::lock_guard lock(mutex_);
  if (device_lost_) return;
  conditions_.device = device.name;
  controller_.set_device(device);
}

void BinControl::retrain() {
  if (handle([](Controller& c) { return std::optional(c.retrain()); })) tell();
}

void BinControl::device_failed() {
  handle([this](Controller& c) {
    device_lost_ = true;
    return std::optional(c.device_failed());
  });
  tell();
}

void BinControl::device_left_out(const DeviceSide& left) {
  handle([&](Controller& c) {
    conditions_.device = left.name;
    return std::optional(c.device_left_out(left));
  });
  tell();
}

void BinControl::frames_changed(const GstVideoInfo& info, const std::string& work) {
  window_ = executor_.window();
  executor_.set_window(window());
  {
    std::lock_guard lock(mutex_);
    conditions_.stages = work;
    conditions_.format = gst_video_format_to_string(info.finfo->format);
    conditions_.width = info.width;
    conditions_.height = info.height;
  }
  recall();
  handle([&](Controller& c) {
    return std::optional(c.frames_changed(conditions_, executor_.window()));
  });
  tell();
}

void BinControl::stream_ended() {
  {
    std::lock_guard lock(mutex_);
    controller_.stream_ended();
  }
  tell();
}

void BinControl::frame_done(const Item& item) {
  if (handle([&](Controller& c) { return c.frame_done(item.times, item.device_stages); })) tell();
  if (const uint64_t epoch = seat_->epoch(); std::exchange(seen_epoch_, epoch) != epoch)
    executor_.set_window(window());
}

// --- Telling -----------------------------------------------------------------------------------

void BinControl::post(const Decision& d) {
  GST_INFO_OBJECT(
      bin_, "%s: %s -> %s, predicted %.1f fps, %.4g J a frame; trained %.3f s, %d frames",
      to_string(d.reason), to_string(d.before).c_str(), to_string(d.after).c_str(),
      d.predicted.throughput_fps, d.predicted.energy_j, d.training_s, d.training_frames);
  GstStructure* told = gst_structure_new(
      "tandem-decision", "old", G_TYPE_STRING, to_string(d.before).c_str(), "new", G_TYPE_STRING,
      to_string(d.after).c_str(), "reason", G_TYPE_STRING, to_string(d.reason),
      "training-experiments", G_TYPE_INT, d.experiments, "training-trials", G_TYPE_INT, d.trials,
      "training-frames", G_TYPE_INT, d.training_frames, "training-seconds", G_TYPE_DOUBLE,
      d.training_s, "training-penalty", G_TYPE_DOUBLE, d.penalty_s, "target-missed", G_TYPE_BOOLEAN,
      d.choice.target_missed, "budget-exceeded", G_TYPE_BOOLEAN, d.choice.budget_exceeded,
      "energy-unknown", G_TYPE_BOOLEAN, d.choice.energy_unknown, nullptr);
  set_if_known(told, "predicted-fps", d.predicted.throughput_fps);
  set_if_known(told, "predicted-energy", d.predicted.energy_j);
  set_if_known(told, "measured-fps", d.measured.throughput_fps);
  set_if_known(told, "measured-energy", d.measured.energy_j);
  GValue ranking = G_VALUE_INIT;
  gst_value_array_init(&ranking, d.choice.count);
  for (int i = 0; i < d.choice.count; ++i) {
    const Candidate& candidate = d.choice.ranked[i];
    GST_LOG_OBJECT(bin_, "%d. %-12s %10.2f fps %10.4g J a frame", i + 1,
                   to_string(candidate.configuration).c_str(), candidate.prediction.throughput_fps,
                   candidate.prediction.energy_j);
    append(&ranking, prediction_structure(candidate.configuration, candidate.prediction));
  }
  gst_structure_take_value(told, "ranking", &ranking);
  gst_element_post_message(bin_, gst_message_new_element(GST_OBJECT_CAST(bin_), told));
}

// Each kind of disappointment once, until the objective changes.
void BinControl::warn(const Decision& d) {
  const auto first_time = [this](bool happened, bool& told) {
    std::lock_guard lock(mutex_);
    return happened && !std::exchange(told, true);
  };
  if (first_time(d.choice.energy_unknown, told_energy_)) {
    GST_ELEMENT_WARNING(
        bin_, RESOURCE, NOT_FOUND,
        ("The objective needs energy, which is unknown here: the most throughput "
         "is taken instead. `tandem doctor` tells how to get an energy source."),
        ("%s", missing_energy_.empty() ? "the counter gave no values" : missing_energy_.c_str()));
  }
  if (first_time(d.choice.budget_exceeded, told_budget_)) {
    GST_ELEMENT_WARNING(bin_, STREAM, FAILED,
                        ("No configuration stays within power-budget: %s takes the least power.",
                         to_string(d.after).c_str()),
                        ("%.1f W are predicted", d.predicted.power_w));
  } else if (first_time(d.choice.target_missed, told_target_)) {
    GST_ELEMENT_WARNING(bin_, STREAM, FAILED,
                        ("No configuration reaches target-fps: %s is the fastest, with %.1f "
                         "frames/s predicted.",
                         to_string(d.after).c_str(), d.predicted.throughput_fps),
                        (nullptr));
  }
}

int BinControl::frames_at_a_time() const {
  std::lock_guard lock(mutex_);
  return count_frames_at_a_time();
}

int BinControl::count_frames_at_a_time() const {
  const Configuration& configuration = controller_.configuration();
  if (controller_.training()) return executor_.cores() + 1;
  const bool coarse = configuration.granularity == Granularity::coarse;
  if (!configuration.mapping.any_device()) return coarse ? configuration.threads : 1;
  return (coarse ? configuration.threads : 2) + configuration.lanes - 1;
}

void BinControl::add_stats(GstStructure* stats) const {
  std::lock_guard lock(mutex_);
  const Measured measured = controller_.measured();
  const Controller::Totals totals = controller_.totals();
  set_if_known(stats, "predicted-fps", controller_.predicted().throughput_fps);
  set_if_known(stats, "predicted-energy", controller_.predicted().energy_j);
  set_if_known(stats, "measured-fps", measured.throughput_fps);
  set_if_known(stats, "measured-energy", measured.energy_j);
  gst_structure_set(stats, "training", G_TYPE_BOOLEAN, controller_.training(), "experiment",
                    G_TYPE_INT, controller_.experiment(), "trial", G_TYPE_INT, controller_.trial(),
                    "decisions", G_TYPE_INT, totals.decisions, "trainings", G_TYPE_INT,
                    totals.trainings, "training-experiments", G_TYPE_INT, totals.experiments,
                    "training-frames", G_TYPE_INT, totals.training_frames, "training-seconds",
                    G_TYPE_DOUBLE, totals.training_s, "training-penalty", G_TYPE_DOUBLE,
                    totals.penalty_s, "seconds", G_TYPE_DOUBLE, totals.stream_s, nullptr);
  if (meter_) {
    gst_structure_set(stats, "energy-source", G_TYPE_STRING, meter_->description().name.c_str(),
                      "energy-coverage", G_TYPE_STRING, meter_->description().coverage.c_str(),
                      nullptr);
  }
}

GstStructure* BinControl::predictions() const {
  GstStructure* made = gst_structure_new_empty("tandem-predictions");
  GValue list = G_VALUE_INIT;
  gst_value_array_init(&list, 0);
  {
    std::lock_guard lock(mutex_);
    if (const Learnt* learnt = controller_.learnt()) {
      Model(learnt->findings.measurements)
          .predict_all([&](const Configuration& configuration, const Prediction& prediction) {
            append(&list, prediction_structure(configuration, prediction));
          });
    }
  }
  gst_structure_take_value(made, "configurations", &list);
  return made;
}

}  // namespace tandem
