// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather/gather.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "files/error_text.h"
#include "files/file_lock.h"
#include "files/terminal_text.h"
#include "gst/publish/location.h"
#include "pipelines/jobs/gather/gathered_video.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/jobs/redis/queue_link.h"
#include "pipelines/progress.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Lines are kept in memory for so long, or until there are so many.
constexpr auto kCheckEvery = 1s;
constexpr uint64_t kMostUnwrittenBytes = 32 << 20;
// Entries that stay in the server until their part is complete, 64 KiB at most each: half of those
// above which workers begin no job.
constexpr std::size_t kMostKept = 2048;
constexpr auto kTurnPatience = 20s;  // a gather that was killed is forgotten after 15 s
constexpr int kMostPutBacks = 3;     // of a job whose results are lost: they would be again
constexpr int kMostTold = 100;       // entries that are left out

struct Interruption {};

class Gathering {
 public:
  explicit Gathering(const GatherSettings& settings)
      : settings_(settings),
        queue_name_(settings.redis.location.shown()),
        link_([this] { return std::make_unique<GatherQueue>(settings_.redis, settings_.name); },
              [this](const std::string& news) { say(news); }) {
    end_.listen({});
  }
  ~Gathering() { end_.stand_down(); }
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  GatherEnd run();

 private:
  void say(const std::string& news);
  void leave_out(const ResultEntry& entry, const std::string& video, const std::string& why);
  void lock_folder();
  void enter();
  void read(GatherQueue& queue, std::chrono::milliseconds wait);
  void read_all(GatherQueue& queue);
  void learn_videos(GatherQueue& queue);
  void drop_gone(const std::vector<Video>& in_queue);
  void announce(const std::string& path, const GatheredVideo& video);
  void take(GatherQueue& queue, const ResultEntry& entry);
  void check(GatherQueue& queue);
  void remove_entries(GatherQueue& queue, const JobRecords& records);
  void forget(const std::string& job);
  void do_again(GatherQueue& queue, GatheredVideo& video, std::size_t part, const std::string& why);
  void settle(GatherQueue& queue, const JobRecords& records);
  bool finish(GatherQueue& queue, GatheredVideo& video, const JobRecords& records);
  void count(const JobRecords& records);

  const GatherSettings& settings_;
  const std::string queue_name_;
  EndGuard& end_ = EndGuard::start(end_rules("gather"));
  std::unique_ptr<FolderLock> lock_;
  ProgressLine progress_;
  QueueLink<GatherQueue> link_;
  std::map<std::string, GatheredVideo> videos_;           // by identity
  std::map<std::string, std::set<std::string>> entries_;  // read and not removed, by job
  std::vector<std::string> useless_;                      // entries to be removed
  std::map<std::string, int> put_backs_;                  // by job
  std::set<std::string> under_way_;                       // put back since `records` were read
  std::map<std::string, std::string> written_;            // paths, by identity
  std::size_t gone_ = 0;                                  // videos
  std::set<std::string> unwritable_, told_problems_;  // videos, by identity; their entries' names
  uint64_t unwritten_bytes_ = 0;
  std::size_t kept_ = 0;  // entries
  int told_ = 0;
  bool all_read_ = false;  // of what there was at the last look
  std::size_t left_ = 1, failed_ = 0;
};

void Gathering::say(const std::string& news) {
  progress_.clear();
  std::fprintf(stderr, "tandem: %s\n", news.c_str());
}

// An entry is nobody's loss: its frames are missed when the job is done, and the job is done again.
void Gathering::leave_out(const ResultEntry& entry, const std::string& video,
                          const std::string& why) {
  useless_.push_back(entry.entry);
  if (++told_ > kMostTold) return;
  say("entry " + terminal_text(entry.entry) + " of the results, of job " + shown(entry.job) +
      (video.empty() ? "" : " (" + terminal_text(video) + ")") + ", is skipped: it " +
      terminal_text(why) + (told_ == kMostTold ? "; further ones are not reported" : ""));
}

void Gathering::lock_folder() {
  const auto end = Clock::now() + kTurnPatience;
  for (;;) {
    lock_ = std::make_unique<FolderLock>(settings_.folder, 200ms);
    if (lock_->problem().empty()) return;
    const std::string problem = "the folder '" + settings_.folder + "' " + lock_->problem();
    if (lock_->is_impossible()) {
      say(problem + ". Make sure that no other `tandem gather` writes into it.");
      return;
    }
    if (!lock_->is_taken()) throw Failure(problem);
    if (end_.is_asked()) throw Interruption();
    if (Clock::now() > end)
      throw Failure(problem,
                    "Only one `tandem gather` may write into a folder. Check for another one, "
                    "perhaps stopped by Ctrl-Z.");
  }
}

void Gathering::enter() {
  const auto end = Clock::now() + kTurnPatience;
  bool entered = false;
  while (!link_.attempt([&](GatherQueue& queue) { entered = queue.enter(); }) || !entered) {
    if (Clock::now() > end && !entered)
      throw Failure("another `tandem gather` reads this queue, or its server does not answer");
    if (end_.wait_for(100ms)) throw Interruption();
  }
}

void Gathering::learn_videos(GatherQueue& queue) {
  QueueVideos all = queue.videos();
  for (const auto& [number, why] : all.problems) {
    if (told_problems_.insert(number).second)
      say("entry " + terminal_text(number) + " of the videos is skipped: it " + terminal_text(why));
  }
  if (videos_.empty()) remove_gathered_parts(settings_.folder, queue_name_, all.videos);
  drop_gone(all.videos);
  for (Video& video : all.videos) {
    std::string identity = video.identity;
    if (!videos_.contains(identity))
      videos_.emplace(std::move(identity), GatheredVideo(std::move(video), settings_.folder));
  }
}

// Another gather has gathered them meanwhile, or somebody has removed them; or the answer that this
// one's were forgotten was lost.
void Gathering::drop_gone(const std::vector<Video>& in_queue) {
  std::set<std::string> there;
  for (const Video& video : in_queue) there.insert(video.identity);
  std::erase_if(videos_, [&](const auto& one) {
    const auto& [identity, video] = one;
    if (there.contains(identity)) return false;
    if (const auto written = written_.find(identity); written != written_.end()) {
      announce(written->second, video);
    } else {
      ++gone_;
      say("video " + std::to_string(video.video().number) + " (" +
          terminal_text(without_password(video.video().analysis.uri)) +
          ") is not in the queue any more: another gather wrote it, or it was removed");
    }
    video.remove_parts();
    return true;
  });
}

void Gathering::announce(const std::string& path, const GatheredVideo& video) {
  progress_.clear();
  std::printf("%s: %" PRIu64 " frames\n", terminal_text(path).c_str(), video.frames());
  std::fflush(stdout);
}

void Gathering::take(GatherQueue& queue, const ResultEntry& entry) {
  const auto place = place_of(entry.job);
  if (!place) return leave_out(entry, "", "does not name a part of a video");
  if (!videos_.contains(place->identity)) learn_videos(queue);
  const auto found = videos_.find(place->identity);
  // A video that is gone was gathered: this is the work of one who was taken for dead.
  if (found == videos_.end()) {
    useless_.push_back(entry.entry);
    return;
  }
  GatheredVideo& video = found->second;
  const std::string& uri = video.video().analysis.uri;
  if (place->video != video.video().number || place->part >= video.jobs().size())
    return leave_out(entry, without_password(uri), "names a part that the video does not have");
  const std::string problem =
      entry.problem.empty() ? video.take(place->part, entry.lines) : entry.problem;
  if (!problem.empty()) return leave_out(entry, without_password(uri), problem);
  kept_ += entries_[video.jobs()[place->part].id].insert(entry.entry).second;
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
  while (!all_read_ && unwritten_bytes_ < kMostUnwrittenBytes && !end_.is_asked());
}

// Results leave the server when the file of their part holds them all: until then, another gather
// with another folder finds them. If very many entries are kept, results leave as soon as they are
// on the disk.
void Gathering::remove_entries(GatherQueue& queue, const JobRecords& records) {
  const bool all = kept_ > kMostKept;
  for (const auto& [identity, video] : videos_) {
    for (std::size_t part = 0; part < video.jobs().size(); ++part) {
      const std::string& job = video.jobs()[part].id;
      if (all || records.failed.contains(job) || video.complete(part, records.done)) forget(job);
    }
  }
  queue.remove(useless_);
  useless_.clear();
}

void Gathering::forget(const std::string& job) {
  const auto read = entries_.find(job);
  if (read == entries_.end()) return;
  useless_.insert(useless_.end(), read->second.begin(), read->second.end());
  kept_ -= read->second.size();
  entries_.erase(read);
}

void Gathering::do_again(GatherQueue& queue, GatheredVideo& video, std::size_t part,
                         const std::string& why) {
  const Job& job = video.jobs()[part];
  const std::string name =
      shown(job.id) + " (" + terminal_text(without_password(job.analysis.uri)) + ")";
  video.drop(part);
  forget(job.id);
  queue.remove(useless_);
  useless_.clear();
  if (++put_backs_[job.id] > kMostPutBacks) {
    say("results of " + name + " were lost repeatedly: the job has failed");
    return queue.set_aside(job, {settings_.name, 0, 0, 0, "its results were lost: " + why});
  }
  say("results of " + name + " were lost: the job is run again: " + terminal_text(why));
  queue.put_back(job);
  under_way_.insert(job.id);
}

// True: the video is gathered.
bool Gathering::finish(GatherQueue& queue, GatheredVideo& video, const JobRecords& records) {
  if (!video.complete(records.done)) return false;
  try {
    const std::string path = video.write(queue_name_);
    if (path.empty()) return false;
    written_[video.video().identity] = path;
    queue.forget(video.video());
    video.remove_parts();
    announce(path, video);
    unwritable_.erase(video.video().identity);
    return true;
  } catch (const OccupiedPlace& e) {
    if (unwritable_.insert(video.video().identity).second) say(terminal_text(e.what()));
    return false;
  }
}

void Gathering::settle(GatherQueue& queue, const JobRecords& records) {
  std::set<std::string> gathered;
  for (auto& [identity, video] : videos_) {
    if (finish(queue, video, records)) {
      gathered.insert(identity);
      continue;
    }
    for (std::size_t part = 0; part < video.jobs().size(); ++part) {
      const auto damaged = records.damaged.find(video.jobs()[part].id);
      const std::string why = damaged == records.damaged.end()
                                  ? video.damage(part, records.done)
                                  : "the record of its end " + damaged->second;
      if (!why.empty()) do_again(queue, video, part, why);
    }
  }
  std::erase_if(videos_, [&](const auto& one) { return gathered.contains(one.first); });
}

void Gathering::count(const JobRecords& records) {
  left_ = 0;
  failed_ = gone_ + unwritable_.size() + told_problems_.size();
  for (const auto& [identity, video] : videos_) {
    for (const Job& job : video.jobs()) {
      const bool failed = records.failed.contains(job.id) || put_backs_[job.id] > kMostPutBacks;
      failed_ += failed;
      left_ += !failed && (!records.done.contains(job.id) || under_way_.contains(job.id));
    }
  }
  progress_.show(std::to_string(videos_.size()) + " videos, " + std::to_string(left_) +
                 " jobs left, " + std::to_string(failed_) + " failed");
}

// The records are older than the results: no result of a finished job is still on its way.
void Gathering::check(GatherQueue& queue) {
  if (!queue.enter()) throw Failure("another `tandem gather` reads this queue now");
  learn_videos(queue);
  const JobRecords records = queue.records();
  under_way_.clear();
  read_all(queue);
  for (auto& [identity, video] : videos_) video.flush();
  unwritten_bytes_ = 0;
  remove_entries(queue, records);
  if (!all_read_ || end_.is_asked()) return;
  settle(queue, records);
  count(records);
}

GatherEnd Gathering::run() try {
  lock_folder();
  enter();
  auto next_check = Clock::now();
  while (left_ > 0 || settings_.follow) {
    const bool heard = link_.attempt([&](GatherQueue& queue) {
      if (Clock::now() < next_check && unwritten_bytes_ < kMostUnwrittenBytes)
        return read(queue, 200ms);
      check(queue);
      next_check = Clock::now() + kCheckEvery;
    });
    if (end_.wait_for(heard ? 0ms : 50ms)) break;
  }
  link_.attempt([](GatherQueue& queue) { queue.leave(); });
  progress_.clear();
  if (end_.is_asked()) return GatherEnd::kInterrupted;
  return failed_ == 0 ? GatherEnd::kAll : GatherEnd::kNotAll;
} catch (const Interruption&) {
  return GatherEnd::kInterrupted;
} catch (const Failure&) {
  throw;
} catch (const std::exception& e) {
  throw Failure(error_text(e));
}

}  // namespace

GatherEnd gather(const GatherSettings& settings) { return Gathering(settings).run(); }

}  // namespace tandem
