// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/evaluate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "files/ascii.h"
#include "pipelines/streams/statistics.h"

namespace tandem::streams {
namespace {

constexpr double kTie = 0.001;
constexpr double kNormal95 = 1.96;

Outcome outcome_of(const Sample& sample, const StreamCandidate& chosen, double best) {
  const Timing* const timing = sample.find(chosen.partitions, chosen.tasks);
  const double speed_up = timing ? sample.one_stream_ns() / timing->median_ns : 1;
  // The interval's width is that of both sides of the mean.
  const double error = timing ? timing->interval / 2 / kNormal95 : 0;
  return {chosen, speed_up, speed_up / best, error};
}

// Folds one after the other, on all cores.
class Folds {
 public:
  Folds(Evaluation& result, const TrainOptions& options, std::vector<std::string> families)
      : result_(result), options_(options), families_(std::move(families)) {}

  void run(const std::function<void(std::size_t, std::size_t)>& tell) {
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < std::max(1U, std::thread::hardware_concurrency()); ++k)
      threads.emplace_back([&] {
        for (std::size_t fold; (fold = next_++) < families_.size();) {
          compute(fold);
          const std::lock_guard lock(mutex_);
          tell(++done_, families_.size());
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (!problem_.empty()) throw std::runtime_error(problem_);
  }

 private:
  void compute(std::size_t fold) try {
    Samples training;
    for (const Sample* sample : result_.samples)
      if (family_of(sample->program) != families_[fold]) training.push_back(sample);
    result_.models[fold] = train_model(training, options_);
    auto methods = all_methods(options_);
    for (std::size_t k = 0; k < methods.size(); ++k) {
      const Choose choose = k == 0 ? choose_by(result_.models[fold]) : methods[k].learn(training);
      for (std::size_t i = 0; i < result_.samples.size(); ++i)
        if (result_.fold_of[i] == fold)
          result_.methods[k].outcomes[i] =
              outcome_of(*result_.samples[i], choose(*result_.samples[i]), result_.best[i]);
    }
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex_);
    problem_ = error.what();
  }

  Evaluation& result_;
  const TrainOptions& options_;
  const std::vector<std::string> families_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;  // guards what follows; nothing else is locked under it
  std::size_t done_ = 0;
  std::string problem_;
};

void summarise(Evaluation& result) {
  result.best_speed_up = mean_of(result.best);
  std::vector<std::size_t> all(result.samples.size());
  std::iota(all.begin(), all.end(), 0);
  for (auto& method : result.methods) {
    method.share = method.mean(&Outcome::share, all);
    method.speed_up = method.mean(&Outcome::speed_up, all);
    method.least_share = 1;
    for (const std::string& program : result.programs)
      method.least_share =
          std::min(method.least_share, method.mean(&Outcome::share, result.samples_of(program)));
  }
}

// How much better `one` is than `other` on samples of a program, and the standard error of that:
// where both choose one setting there is none.
struct Difference {
  double mean = 0, error = 0;
};

Difference difference_of(const Evaluation::OfMethod& one, const Evaluation::OfMethod& other,
                         const std::vector<std::size_t>& samples) {
  double sum = 0, squares = 0;
  for (const std::size_t i : samples) {
    const Outcome &a = one.outcomes[i], &b = other.outcomes[i];
    sum += a.share - b.share;
    if (a.chosen == b.chosen) continue;
    squares += a.share * a.error * a.share * a.error + b.share * b.error * b.share * b.error;
  }
  const auto n = static_cast<double>(samples.size());
  return {sum / n, std::sqrt(squares) / n};
}

}  // namespace

std::string family_of(const std::string& program) {
  std::size_t end = program.size();
  while (end > 1 && is_ascii_digit(program[end - 1])) --end;
  return program.substr(0, end);
}

std::vector<std::size_t> Evaluation::samples_of(const std::string& program) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i]->program == program) places.push_back(i);
  return places;
}

double Evaluation::OfMethod::mean(double Outcome::*part,
                                  const std::vector<std::size_t>& samples) const {
  std::vector<double> values;
  for (const std::size_t i : samples) values.push_back(outcomes[i].*part);
  return mean_of(values);
}

Evaluation::Lead Evaluation::lead_over(const OfMethod& other) const {
  Lead lead;
  for (const std::string& program : programs) {
    const Difference by = difference_of(methods.front(), other, samples_of(program));
    const double sure = std::max(kTie, kNormal95 * by.error);
    lead.ahead += by.mean > kTie;
    lead.behind += by.mean < -kTie;
    lead.surely_ahead += by.mean > sure;
    lead.surely_behind += by.mean < -sure;
  }
  for (double* share : {&lead.ahead, &lead.behind, &lead.surely_ahead, &lead.surely_behind})
    *share /= static_cast<double>(programs.size());
  return lead;
}

Evaluation evaluate(const SampleTable& table, const TrainOptions& options,
                    const std::function<void(std::size_t, std::size_t)>& tell) {
  Evaluation result{.samples = measured(table)};
  std::vector<std::string> families;
  for (const Sample* sample : result.samples) {
    double best = 1;
    for (const Timing& t : sample->grid)
      best = std::max(best, sample->one_stream_ns() / t.median_ns);
    result.best.push_back(best);
    families.push_back(family_of(sample->program));
    result.programs.push_back(sample->program);
  }
  for (auto* list : {&families, &result.programs}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  if (families.size() < 2)
    throw std::runtime_error(
        "has samples of a single program: evaluate leaves one out and needs another");
  for (const Sample* sample : result.samples)
    result.fold_of.push_back(static_cast<std::size_t>(
        std::ranges::find(families, family_of(sample->program)) - families.begin()));
  result.models.resize(families.size());
  for (const Method& method : all_methods(options))
    result.methods.push_back({.name = method.name,
                              .note = method.note,
                              .outcomes = std::vector<Outcome>(result.samples.size())});
  Folds(result, options, families).run(tell);
  summarise(result);
  const auto features = features_of(result.samples);
  const StreamModel all = prepare_model(features, options);
  for (const auto& feature : all.features) result.features.push_back(feature.name);
  result.importance = importance_of(all, features);
  return result;
}

}  // namespace tandem::streams
