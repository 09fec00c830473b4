// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/trainer.h"

#include <algorithm>
#include <functional>

#include "model/estimator.h"

namespace tandem {
namespace {

constexpr double kNanosecond = 1e-9;

double service_s(const Item::Times& times) {
  return kNanosecond * static_cast<double>(times.end_ns - times.begin_ns);
}

}  // namespace

Trainer::Trainer(int stages, int cores, uint32_t device_capable) : stages_(stages), cores_(cores) {
  const Mapping cpu{0, stages};
  for (int n = 1; n <= cores + 1; ++n) steps_.push_back({{cpu, Granularity::coarse, n}, false});
  if (device_capable != 0)
    steps_.push_back({{{device_capable, stages}, Granularity::coarse, 1}, true});
  steps_.push_back({{cpu, Granularity::medium, cores + 1}, false});

  measured_.cores = cores;
  measured_.stages.resize(stages);
  measured_.cg.resize(cores + 1);
  for (int k = 0; k < stages; ++k) measured_.stages[k].has_device = (device_capable >> k & 1) != 0;
}

std::optional<Trainer::Step> Trainer::step() const {
  if (current_ == steps_.size()) return std::nullopt;
  return steps_[current_];
}

bool Trainer::observe(const Item::Times& times, uint32_t device_stages) {
  if (current_ == steps_.size()) return false;
  const Step& step = steps_[current_];
  if (!(times.configuration == step.configuration)) return false;
  const int threads =
      step.configuration.granularity == Granularity::coarse ? step.configuration.threads : 1;
  if (seen_++ == 0) first_begin_ns_ = times.begin_ns;
  last_end_ns_ = std::max(last_end_ns_, times.end_ns);
  const bool first_of_thread = seen_ <= threads;
  // A frame that the device left to the CPU says nothing of the device.
  const bool as_mapped = device_stages == step.configuration.mapping.device_stages;
  if (!first_of_thread && as_mapped) samples_.push_back(times);

  const double lasted = kNanosecond * static_cast<double>(last_end_ns_ - first_begin_ns_);
  const bool enough =
      static_cast<int>(samples_.size()) >= kLeastRounds * threads && lasted >= kLeastSeconds;
  if (!enough && (lasted < kMostSeconds || samples_.empty())) return false;
  finish_step();
  return true;
}

// The robust mean of samples; remembers the worst error.
double Trainer::take(std::vector<double> samples) {
  const Estimate found = estimate(std::move(samples));
  const double error = found.relative_error();
  if (known(error)) relative_error_ = std::max(relative_error_, error);
  return found.value;
}

void Trainer::finish_step() {
  const Step& step = steps_[current_];
  const auto each = [&](const std::function<double(const Item::Times&)>& value) {
    std::vector<double> values;
    for (const Item::Times& times : samples_) values.push_back(value(times));
    return take(std::move(values));
  };
  const auto stage_s = [&](int k) {
    return each(
        [k](const Item::Times& t) { return kNanosecond * static_cast<double>(t.stage_ns[k]); });
  };

  if (step.configuration.granularity == Granularity::medium) {
    for (int k = 0; k < stages_; ++k) measured_.stages[k].mg.seconds = stage_s(k);
  } else if (step.time_stages) {
    for (int k = 0; k < stages_; ++k) {
      if (!measured_.stages[k].has_device) continue;
      StageMeasurements& stage = measured_.stages[k];
      stage.device.seconds = stage_s(k);
      stage.download.seconds = each([k](const Item::Times& t) {
        return kNanosecond * static_cast<double>(t.download_ns[k]);
      });
      // What a run that begins with the next stage has to upload.
      if (k + 1 < stages_) {
        measured_.stages[k + 1].upload.seconds = each([k](const Item::Times& t) {
          return kNanosecond * static_cast<double>(t.upload_ns[k]);
        });
      }
    }
  } else {
    const int n = step.configuration.threads;
    // n frames at a time: the time per frame is the n-th part of what each takes.
    measured_.cg[n - 1].seconds = each([n](const Item::Times& t) { return service_s(t) / n; });
    if (n == 1)
      for (int k = 0; k < stages_; ++k) measured_.stages[k].cg.seconds = stage_s(k);
  }

  costs_.push_back({kNanosecond * static_cast<double>(last_end_ns_ - first_begin_ns_), seen_});
  ++current_;
  seen_ = 0;
  last_end_ns_ = 0;
  samples_.clear();
}

Measurements Trainer::measurements() const { return measured_; }

}  // namespace tandem
