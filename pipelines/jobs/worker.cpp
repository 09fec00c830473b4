// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker.h"

#include <glib-unix.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "gst/publish/location.h"
#include "pipelines/jobs/job_run.h"
#include "pipelines/jobs/queue_link.h"
#include "pipelines/jobs/redis_queue.h"
#include "pipelines/tandem/end_signals.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;

gboolean on_signal(gpointer stop) {
  *static_cast<bool*>(stop) = true;
  return G_SOURCE_CONTINUE;
}

class Worker {
 public:
  explicit Worker(const WorkerSettings& settings)
      : settings_(settings),
        link_(
            [this] {
              return open_work_queue(settings_.redis, settings_.name, settings_.rules.claim_limit);
            },
            [](const std::string& news) { std::fprintf(stderr, "tandem: %s\n", news.c_str()); }) {
    for (const int signal : end_signals())
      signals_.push_back(g_unix_signal_add(signal, on_signal, &stop_));
  }
  ~Worker() {
    for (const guint signal : signals_) g_source_remove(signal);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool run();

 private:
  void pause(std::chrono::milliseconds duration);
  bool is_stopped();
  void insist(const std::function<void(WorkQueue&)>& work);
  void do_job(const Claim& claim);
  void finish(const Claim& claim, const Job& job, const JobRun& run);
  void fail(const Claim& claim, const std::string& job, JobRecord record);
  void wait_for_gather();

  const WorkerSettings& settings_;
  bool stop_ = false;
  QueueLink<WorkQueue> link_;
  std::vector<guint> signals_;
  int failures_ = 0;  // in a row
  bool waits_for_gather_ = false;
};

bool Worker::is_stopped() {
  while (g_main_context_iteration(nullptr, FALSE)) {
  }
  return stop_;
}

void Worker::pause(std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (!is_stopped() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::min(duration, 20ms));
}

// Until the server has heard of it; a worker that is to stop gives up after a while: its claim ends
// by itself.
void Worker::insist(const std::function<void(WorkQueue&)>& work) {
  constexpr auto kPatience = 5s;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!link_.attempt(work)) {
    if (is_stopped() && std::chrono::steady_clock::now() > end) return;
    std::this_thread::sleep_for(20ms);
  }
}

void Worker::wait_for_gather() {
  if (!std::exchange(waits_for_gather_, true))
    std::fprintf(stderr, "tandem: results are not gathered: waiting for `tandem gather`\n");
  pause(1s);
}

void Worker::do_job(const Claim& claim) {
  Job job;
  try {
    job = read_job(claim.text);
  } catch (const std::exception& e) {
    insist([&](WorkQueue& queue) {
      queue.set_aside(claim, "entry " + claim.entry,
                      {settings_.name, 0, 0, 0, std::string("what was submitted ") + e.what()});
    });
    return;
  }
  if (!settings_.rules.may_try(claim.attempt)) {
    insist([&](WorkQueue& queue) {
      std::string reason = queue.last_reason(job.id);
      if (reason.empty()) reason = "its workers died, or were silent for too long";
      queue.set_aside(claim, job.id, {settings_.name, 0, 0, g_get_real_time() / 1e6, reason});
    });
    return;
  }
  JobRun run(claim, job, settings_.name, settings_.rules, link_);
  const JobRun::Outcome outcome = run.play(settings_.machine);
  const JobRecord record = run.record();
  switch (outcome) {
    case JobRun::Outcome::kComplete:
      insist([&](WorkQueue& queue) { run.finish(queue); });
      failures_ = 0;
      std::printf("%s: %llu frames in %.2f s\n", job.id.c_str(),
                  static_cast<unsigned long long>(record.frames), record.seconds);
      std::fflush(stdout);
      break;
    case JobRun::Outcome::kLost:
      std::fprintf(stderr, "tandem: %s is another worker's by now\n", job.id.c_str());
      break;
    case JobRun::Outcome::kInterrupted:
      stop_ = true;
      insist([&](WorkQueue& queue) { queue.give_back(claim, job.id, record, false); });
      break;
    case JobRun::Outcome::kFailed:
      fail(claim, job.id, record);
      break;
  }
}

void Worker::fail(const Claim& claim, const std::string& job, JobRecord record) {
  const bool again = settings_.rules.may_try_again(claim.attempt);
  std::fprintf(stderr, "tandem: %s failed (attempt %d): %s\n", job.c_str(), claim.attempt,
               record.reason.c_str());
  insist([&](WorkQueue& queue) {
    if (again)
      queue.give_back(claim, job, record, true);
    else
      queue.set_aside(claim, job, record);
  });
  pause(WorkerRules::pause_after(++failures_));
}

bool Worker::run() {
  bool none_left = false;
  while (!is_stopped() && !none_left) {
    std::optional<Claim> claim;
    bool full = false;
    const bool heard = link_.attempt([&](WorkQueue& queue) {
      full = queue.results_waiting() >= settings_.most_results;
      if (!full) claim = queue.take(1s);
      if (!full && !claim && settings_.until_empty) none_left = queue.jobs_left() == 0;
    });
    if (!heard) {
      pause(50ms);
    } else if (full) {
      wait_for_gather();
    } else if (claim) {
      waits_for_gather_ = false;
      do_job(*claim);
    }
  }
  link_.attempt([](WorkQueue& queue) { queue.leave(); });
  return none_left;
}

}  // namespace

bool work(const WorkerSettings& settings) { return Worker(settings).run(); }

}  // namespace tandem
