// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/worker/worker.h"

#include <glib.h>

#include <cinttypes>
#include <cstdio>
#include <thread>
#include <utility>

#include "files/terminal_text.h"
#include "gst/publish/location.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/jobs/redis/queue_link.h"
#include "pipelines/jobs/worker/job_run.h"
#include "pipelines/tandem/commands.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;

class Worker {
 public:
  explicit Worker(const WorkerSettings& settings)
      : settings_(settings),
        link_(
            [this] {
              return std::make_unique<WorkQueue>(settings_.redis, settings_.name,
                                                 settings_.rules.claim_limit);
            },
            [](const std::string& news) { std::fprintf(stderr, "tandem: %s\n", news.c_str()); }) {
    end_.listen({});
  }
  ~Worker() { end_.stand_down(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  bool run();

 private:
  void insist(const std::function<void(WorkQueue&)>& work);
  void do_job(const Claim& claim);
  void fail(const Claim& claim, const std::string& job, const JobRecord& record);
  void give_back(const Claim& claim, const std::string& job, const JobRecord& record);
  [[noreturn]] void leave_stuck(const Claim& claim, const std::string& job, JobRecord record);
  void wait_for_gather();

  const WorkerSettings& settings_;
  EndGuard& end_ = EndGuard::start(end_rules("the worker"));
  QueueLink<WorkQueue> link_;
  int failures_ = 0;  // in a row
  bool waits_for_gather_ = false;
};

// Until the server has heard of it; a worker that is to stop is ended by its watch: its claim ends
// by itself.
void Worker::insist(const std::function<void(WorkQueue&)>& work) {
  while (!link_.attempt(work)) std::this_thread::sleep_for(20ms);
}

void Worker::wait_for_gather() {
  if (!std::exchange(waits_for_gather_, true))
    std::fprintf(stderr, "tandem: results are not gathered: waiting for `tandem gather`\n");
  end_.wait_for(1s);
}

void Worker::do_job(const Claim& claim) {
  Job job;
  try {
    job = read_job(claim.text);
  } catch (const std::exception& e) {
    const std::string name = "entry " + claim.entry,
                      reason = "the submitted text " + terminal_text(e.what());
    std::fprintf(stderr, "tandem: %s failed: %s\n", terminal_text(name).c_str(), reason.c_str());
    insist([&](WorkQueue& queue) {
      queue.set_aside(claim, name, {settings_.name, 0, 0, g_get_real_time() / 1e6, reason});
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
  if (end_.is_asked()) return give_back(claim, job.id, {});
  JobRun run(claim, job, settings_.name, settings_.rules, link_, end_);
  const JobRun::Outcome outcome = run.play(settings_.machine, settings_.input);
  const JobRecord record = run.record();
  switch (outcome) {
    case JobRun::Outcome::kComplete:
      insist([&](WorkQueue& queue) { run.finish(queue); });
      failures_ = 0;
      std::printf("%s: %" PRIu64 " frames in %.2f s\n", shown(job.id).c_str(), record.frames,
                  record.seconds);
      std::fflush(stdout);
      break;
    case JobRun::Outcome::kLost:
      std::fprintf(stderr, "tandem: %s was claimed by another worker meanwhile\n",
                   shown(job.id).c_str());
      break;
    case JobRun::Outcome::kInterrupted:
      give_back(claim, job.id, record);
      break;
    case JobRun::Outcome::kFailed:
      fail(claim, job.id, record);
      if (!run.refused()) end_.wait_for(WorkerRules::pause_after(++failures_));
      break;
    case JobRun::Outcome::kStuck:
      leave_stuck(claim, job.id, record);
  }
}

void Worker::give_back(const Claim& claim, const std::string& job, const JobRecord& record) {
  insist([&](WorkQueue& queue) { queue.give_back(claim, job, record, false); });
}

void Worker::fail(const Claim& claim, const std::string& job, const JobRecord& record) {
  const bool again = settings_.rules.may_try_again(claim.attempt);
  std::fprintf(stderr, "tandem: %s failed (attempt %d): %s\n", shown(job).c_str(), claim.attempt,
               terminal_text(record.reason).c_str());
  insist([&](WorkQueue& queue) {
    if (again)
      queue.give_back(claim, job, record, true);
    else
      queue.set_aside(claim, job, record);
  });
}

// The thread that plays the job is blocked for ever and keeps the job's handles and memory: the
// process goes, and whoever started it starts another one.
void Worker::leave_stuck(const Claim& claim, const std::string& job, JobRecord record) {
  constexpr auto kToTell = 10s;
  const std::string why = "job " + shown(job) + " cannot be stopped";
  const bool interrupted = end_.is_asked();
  end_.leave_by(EndGuard::Clock::now() + kToTell, why, 1);
  try {
    if (interrupted) {
      give_back(claim, job, record);
    } else {
      record.reason += "; its worker could not stop it and ended";
      fail(claim, job, record);
    }
  } catch (const std::exception&) {  // the queue is gone: the claim ends by itself
  }
  end_.leave(why, interrupted ? kInterruptedStatus : 1);
}

bool Worker::run() {
  bool none_left = false;
  while (!end_.is_asked() && !none_left) {
    std::optional<Claim> claim;
    bool full = false;
    const bool heard = link_.attempt([&](WorkQueue& queue) {
      full = queue.results_waiting() >= settings_.most_results;
      if (!full) claim = queue.take(1s);
      if (!full && !claim && settings_.until_empty) none_left = queue.jobs_left() == 0;
    });
    if (!heard) {
      end_.wait_for(50ms);
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
