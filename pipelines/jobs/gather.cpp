// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather.h"

#include <charconv>
#include <cstdio>
#include <map>
#include <thread>

#include "pipelines/jobs/gathered_video.h"
#include "pipelines/jobs/queue_link.h"
#include "pipelines/jobs/redis_queue.h"
#include "pipelines/progress.h"
#include "pipelines/tandem/options.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Results stay in the server until they are on the disk: for so long, or until there are so many.
constexpr auto kCheckEvery = 1s;
constexpr uint64_t kMostUnwrittenBytes = 32 << 20;
constexpr auto kTurnPatience = 20s;  // a gather that was killed is forgotten after 15 s

class Gathering {
 public:
  explicit Gathering(const GatherSettings& settings)
      : settings_(settings),
        link_([this] { return open_gather_queue(settings_.redis, settings_.name); },
              [this](const std::string& news) {
                progress_.clear();
                std::fprintf(stderr, "tandem: %s\n", news.c_str());
              }) {}

  bool run();

 private:
  void enter();
  void read(GatherQueue& queue, std::chrono::milliseconds wait);
  void read_all(GatherQueue& queue);
  void learn_videos(GatherQueue& queue);
  void take(GatherQueue& queue, const ResultEntry& entry);
  void check(GatherQueue& queue);
  void settle(GatherQueue& queue, const GatheredVideo& video, const JobRecords& records);
  const GatherSettings& settings_;
  ProgressLine progress_;
  QueueLink<GatherQueue> link_;
  std::map<uint64_t, GatheredVideo> videos_;  // by number
  uint64_t unwritten_bytes_ = 0;
  bool all_read_ = false;  // of what there was at the last look
  std::size_t left_ = 1, failed_ = 0;
};

void Gathering::enter() {
  const auto end = Clock::now() + kTurnPatience;
  bool entered = false;
  while (!link_.attempt([&](GatherQueue& queue) { entered = queue.enter(); }) || !entered) {
    if (Clock::now() > end && !entered)
      throw Failure("another `tandem gather` reads this queue, or its server is not there");
    std::this_thread::sleep_for(100ms);
  }
}

void Gathering::learn_videos(GatherQueue& queue) {
  for (Video& video : queue.videos()) {
    if (!videos_.contains(video.number))
      videos_.emplace(video.number, GatheredVideo(std::move(video), settings_.folder));
  }
}

void Gathering::take(GatherQueue& queue, const ResultEntry& entry) {
  // "7.12": part 12 of video 7.
  uint64_t number = 0;
  std::size_t part = 0;
  const char* end = entry.job.data() + entry.job.size();
  const auto [dot, error] = std::from_chars(entry.job.data(), end, number);
  if (error != std::errc() || dot == end || *dot != '.') return;
  if (std::from_chars(dot + 1, end, part).ptr != end) return;
  if (!videos_.contains(number)) learn_videos(queue);
  // A video that is gone was gathered: this is the work of one who was taken for dead.
  if (const auto video = videos_.find(number); video != videos_.end())
    video->second.take(part, entry.lines);
}

void Gathering::read(GatherQueue& queue, std::chrono::milliseconds wait) {
  const std::vector<ResultEntry> entries = queue.read(wait);
  for (const ResultEntry& entry : entries) {
    take(queue, entry);
    unwritten_bytes_ += entry.lines.text.size();
  }
  all_read_ = entries.empty();
}

void Gathering::read_all(GatherQueue& queue) {
  do read(queue, 0ms);
  while (!all_read_ && unwritten_bytes_ < kMostUnwrittenBytes);
}

void Gathering::settle(GatherQueue& queue, const GatheredVideo& video, const JobRecords& records) {
  for (const Job& job : video.lost(records.done)) {
    progress_.clear();
    std::fprintf(stderr, "tandem: results of %s are lost: it is done again\n", job.id.c_str());
    queue.put_back(job);
  }
  if (!video.complete(records.done)) return;
  const std::string path = video.write();
  queue.forget(video.video());
  video.remove_parts();
  progress_.clear();
  std::printf("%s: %llu frames\n", path.c_str(), static_cast<unsigned long long>(video.frames()));
  std::fflush(stdout);
}

// What is done was done before all results were read: none of it is still on its way.
void Gathering::check(GatherQueue& queue) {
  if (!queue.enter()) throw Failure("another `tandem gather` reads this queue by now");
  learn_videos(queue);
  const JobRecords records = queue.records();
  read_all(queue);
  for (auto& [number, video] : videos_) video.flush();
  queue.trim();
  unwritten_bytes_ = 0;
  if (!all_read_) return;
  for (const auto& [number, video] : videos_) settle(queue, video, records);
  std::erase_if(videos_, [&](const auto& one) { return one.second.complete(records.done); });
  left_ = failed_ = 0;
  for (const auto& [number, video] : videos_) {
    for (const Job& job : jobs_of(video.video())) {
      failed_ += records.failed.contains(job.id);
      left_ += !records.failed.contains(job.id) && !records.done.contains(job.id);
    }
    left_ += video.lost(records.done).size();
  }
  progress_.show(std::to_string(videos_.size()) + " videos, " + std::to_string(left_) +
                 " jobs left, " + std::to_string(failed_) + " failed");
}

bool Gathering::run() try {
  enter();
  auto next_check = Clock::now();
  while (left_ > 0 || settings_.follow) {
    const bool heard = link_.attempt([&](GatherQueue& queue) {
      if (Clock::now() < next_check && unwritten_bytes_ < kMostUnwrittenBytes)
        return read(queue, 200ms);
      check(queue);
      next_check = Clock::now() + kCheckEvery;
    });
    if (!heard) std::this_thread::sleep_for(50ms);
  }
  link_.attempt([](GatherQueue& queue) { queue.leave(); });
  progress_.clear();
  return failed_ == 0;
} catch (const Failure&) {
  throw;
} catch (const std::runtime_error& e) {
  throw Failure(e.what());
}

}  // namespace

bool gather(const GatherSettings& settings) { return Gathering(settings).run(); }

}  // namespace tandem
