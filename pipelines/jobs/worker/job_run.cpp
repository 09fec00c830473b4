// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/job_run.h"

#include <glib.h>

#include <utility>

#include "files/error_text.h"
#include "pipelines/jobs/worker/job_pipeline.h"

namespace tandem {

void LineQueue::push(const std::string& line) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return closed_ || bytes_ < kMostBytes; });
  if (closed_) return;
  bytes_ += line.size();
  lines_.push_back(line);
  ++pushed_;
}

ResultLines LineQueue::take() {
  const std::scoped_lock lock(mutex_);
  ResultLines batch{next_frame_, 0, {}};
  while (!lines_.empty() &&
         (batch.frames == 0 || batch.text.size() + lines_.front().size() <= kBatchBytes)) {
    batch.text += lines_.front();
    bytes_ -= lines_.front().size();
    lines_.pop_front();
    ++batch.frames;
  }
  next_frame_ += batch.frames;
  taken_.notify_all();
  return batch;
}

bool LineQueue::empty() const {
  const std::scoped_lock lock(mutex_);
  return lines_.empty();
}

bool LineQueue::full() const {
  const std::scoped_lock lock(mutex_);
  return bytes_ >= kMostBytes;
}

void LineQueue::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  taken_.notify_all();
}

uint64_t LineQueue::pushed() const {
  const std::scoped_lock lock(mutex_);
  return pushed_;
}

JobRun::JobRun(Claim claim, Job job, std::string worker, const WorkerRules& rules,
               QueueLink<WorkQueue>& link, EndGuard& end)
    : claim_(std::move(claim)),
      job_(std::move(job)),
      worker_(std::move(worker)),
      rules_(rules),
      link_(link),
      end_(end),
      began_(WorkerRules::Clock::now()),
      running_{began_, began_},
      lines_(job_.part.first_frame) {}

void JobRun::begin(const BinSettings& machine, const InputRules& input) {
  player_ = std::thread([this, &machine, &input] {
    bool complete = false, refused = false;
    std::string failure;
    try {
      complete = play_job(job_, machine, input,
                          {[this](const std::string& line) { lines_.push(line); },
                           [this] { return left_.load(); }, [this] { lines_.close(); }});
    } catch (const UsageError& e) {
      failure = e.what();
      refused = true;
    } catch (const Failure& e) {
      refused = dynamic_cast<const Refused*>(&e) != nullptr;
      failure = e.what() + (e.advice.empty() ? "" : ". " + e.advice);
    } catch (const std::exception& e) {
      failure = error_text(e);
    }
    const std::scoped_lock lock(mutex_);
    complete_ = complete;
    refused_ = refused;
    failure_ = std::move(failure);
    ended_ = true;
    played_.notify_all();
  });
}

bool JobRun::has_ended_within(std::chrono::milliseconds duration) {
  std::unique_lock lock(mutex_);
  return played_.wait_for(lock, duration, [&] { return ended_; });
}

JobRun::Outcome JobRun::play(const BinSettings& machine, const InputRules& input) {
  constexpr std::chrono::milliseconds kTick{100};
  // A signal leaves EndRules::patience for all; a frame under way may take seconds.
  constexpr std::chrono::milliseconds kToEnd{5000}, kToEndAfterSignal{1200};
  begin(machine, input);
  while (!has_ended_within(kTick) && !end_.is_asked() && tick()) {
  }
  if (!has_ended_within({})) {
    left_ = true;
    lines_.close();
  }
  const auto left_at = WorkerRules::Clock::now();
  while (!has_ended_within(kTick)) {
    const auto patience = end_.is_asked() ? kToEndAfterSignal : kToEnd;
    if (WorkerRules::Clock::now() - left_at < patience) continue;
    player_.detach();
    return Outcome::kStuck;
  }
  player_.join();
  if (hopeless_) std::rethrow_exception(hopeless_);
  if (lost_) return Outcome::kLost;
  if (complete_) return Outcome::kComplete;
  if (reason_.empty()) reason_ = failure_;
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
    const bool heard = link_.attempt([&](WorkQueue& queue) { talk(queue, keeps); });
    // Frames wait for the server, and not the server for frames.
    if (!heard && lines_.full()) running_.progressed = WorkerRules::Clock::now();
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
