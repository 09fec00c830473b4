// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job_run.h"

#include <glib.h>

#include <utility>

#include "pipelines/jobs/job_pipeline.h"

namespace tandem {

JobRun::JobRun(const Claim& claim, const Job& job, std::string worker, const WorkerRules& rules,
               QueueLink<WorkQueue>& link)
    : claim_(claim),
      job_(job),
      worker_(std::move(worker)),
      rules_(rules),
      link_(link),
      began_(WorkerRules::Clock::now()),
      running_{began_, began_},
      lines_(job.part.first_frame) {}

JobRun::Outcome JobRun::play(const BinSettings& machine) {
  try {
    const bool complete = play_job(job_, machine,
                                   {[this](const std::string& line) { lines_.push(line); },
                                    [this] { return tick(); }, [this] { lines_.close(); }});
    if (complete) return Outcome::kComplete;
  } catch (const Failure& failure) {
    reason_ = failure.what() + (failure.advice.empty() ? "" : " " + failure.advice);
  } catch (const std::exception& e) {
    reason_ = e.what();
  }
  if (hopeless_) std::rethrow_exception(hopeless_);
  if (lost_) return Outcome::kLost;
  return reason_.empty() ? Outcome::kInterrupted : Outcome::kFailed;
}

JobRecord JobRun::record() const {
  const std::chrono::duration<double> duration = WorkerRules::Clock::now() - began_;
  return {worker_, lines_.pushed(), duration.count(), static_cast<double>(g_get_real_time()) / 1e6,
          reason_};
}

bool JobRun::tick() {
  const WorkerRules::Time now = WorkerRules::Clock::now();
  if (std::exchange(seen_, lines_.pushed()) != seen_) running_.progressed = now;
  const WorkerRules::Act act = rules_.while_running(running_, now);
  if (act == WorkerRules::Act::kFail) {
    reason_ = "no frame came for " +
              std::to_string(std::chrono::round<std::chrono::seconds>(rules_.stall_limit).count()) +
              " s";
    return false;
  }
  try {
    const bool keeps = act == WorkerRules::Act::kKeep;
    if (!link_.attempt([&](WorkQueue& queue) { talk(queue, keeps); })) running_.progressed = now;
  } catch (...) {
    hopeless_ = std::current_exception();
  }
  return !lost_ && !hopeless_;
}

void JobRun::talk(WorkQueue& queue, bool keeps) {
  if (keeps) {
    lost_ = !queue.keep(claim_);
    running_.kept = WorkerRules::Clock::now();
  }
  if (!lost_) publish(queue);
}

// A quarter of the queue a tick, so that a claim is kept in time however fast the lines come.
void JobRun::publish(WorkQueue& queue) {
  std::size_t bytes = 0;
  while (bytes < LineQueue::kMostBytes / 4) {
    if (unsent_.frames == 0) unsent_ = lines_.take();
    if (unsent_.frames == 0) return;
    queue.publish(job_.id, unsent_, record());
    bytes += unsent_.text.size();
    unsent_ = {};
  }
}

void JobRun::finish(WorkQueue& queue) {
  if (unsent_.frames == 0) unsent_ = lines_.take();
  while (!lines_.empty()) {
    queue.publish(job_.id, unsent_, record());
    unsent_ = lines_.take();
  }
  queue.finish(claim_, job_.id, unsent_, record());
}

}  // namespace tandem
