// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/session.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

// Longest interval between turns of a broker, because MQTT requires pings of the client.
constexpr std::chrono::seconds kLongestWait{1};
// Lines may arrive as fast as they are acknowledged; the bound lets the caller stop.
constexpr int kMostExchanges = 16;

}  // namespace

std::chrono::milliseconds Backoff::next() {
  return std::exchange(pause_, std::min(2 * pause_, kLongest));
}

Session::Step Session::step(Time now) {
  Step step;
  step.until = now + kLongestWait;
  tell_of_drops(step);
  if (failed_) return step;
  if (hurry_.exchange(false)) {
    backoff_.reset();
    retry_at_ = now;
  }
  if (broker_) {
    exchange(now, step);
  } else if (now >= retry_at_) {
    open(now, step);
  } else {
    step.until = std::min(step.until, retry_at_);
  }
  tell_of_drops(step);
  return step;
}

void Session::open(Time now, Step& step) {
  Opened opened = connector_.open();
  more_addresses_ = opened.more;
  broker_ = std::move(opened.broker);
  deadline_.reset();
  // A file for TLS that was of use may just be about to be renewed.
  const bool hopeless = opened.hopeless && !was_connected_;
  if (!broker_) return lose(std::move(opened.error), hopeless, now, step);
  step.until = now;  // looking the name up took time that `now` does not know of
}

void Session::exchange(Time now, Step& step) {
  if (!deadline_) deadline_ = now + kConnectLimit;
  for (int round = 0;; ++round) {
    if (!take_in(broker_->turn(), now, step)) return;
    if (!connected_) break;
    if (round == kMostExchanges) {
      step.until = now;
      break;
    }
    const bool was_idle = !outbox_.awaiting();
    const std::vector<Outgoing> lines = outbox_.take(room());
    if (lines.empty()) break;
    if (was_idle) deadline_ = now + kSilenceLimit;
    for (const Outgoing& one : lines) broker_->publish(one.id, *one.line);
  }
  if (!connected_ || outbox_.awaiting()) {
    if (now >= *deadline_) {
      const auto limit = connected_ ? kSilenceLimit : kConnectLimit;
      return lose("no answer for " + std::to_string(limit.count()) + " s", false, now, step);
    }
    step.until = std::min(step.until, *deadline_);
  }
  step.file = broker_->waits_for();
}

// Whether the connection is still of use.
bool Session::take_in(BrokerEvents events, Time now, Step& step) {
  for (const uint64_t id : events.acknowledged) outbox_.acknowledge(id);
  if (!events.acknowledged.empty()) {
    deadline_ = now + kSilenceLimit;
    // Not before: a broker may let us in and break down with each line.
    backoff_.reset();
    outage_told_ = false;
  }
  if (!events.lost.empty()) {
    if (events.too_long) {
      refuse(*events.too_long, events.lost, step);
    } else if (connected_ && !events.hopeless) {
      suspect(events.lost, step);
    }
    lose(std::move(events.lost), events.hopeless, now, step);
    return false;
  }
  if (events.connected && !connected_) {
    connected_ = true;
    if (std::exchange(was_connected_, true)) ++reconnects_;
    connected_since_ = now;
    deadline_ = now + kSilenceLimit;
    step.news.push_back({SessionNews::Kind::kConnected, {}, 0, nullptr});
  }
  return true;
}

void Session::close() {
  broker_.reset();
  outbox_.rewind();
  connected_ = false;
}

void Session::lose(std::string why, bool hopeless, Time now, Step& step) {
  const bool try_next_address = !connected_ && more_addresses_;
  if (connected_ && now - connected_since_ >= kSilenceLimit) outage_told_ = false;
  close();
  if (hopeless) {
    failed_ = true;
    step.news.push_back({SessionNews::Kind::kFailed, std::move(why), 0, nullptr});
    return;
  }
  retry_at_ = try_next_address ? now : now + backoff_.next();
  step.until = std::min(step.until, retry_at_);
  if (try_next_address || std::exchange(outage_told_, true)) return;
  step.news.push_back({SessionNews::Kind::kLost, std::move(why), 0, nullptr});
}

// The broker has closed a connection that it had accepted.
void Session::suspect(const std::string& why, Step& step) {
  const std::optional<Outgoing> longest = outbox_.longest_under_way();
  if (!longest || longest->line->size() < kLeastSuspect) return;
  losses_ = suspect_ == longest->id ? losses_ + 1 : 0;  // lines beside it went before it
  suspect_ = longest->id;
  if (losses_ < kMostLosses) return;
  refuse(*suspect_,
         "the broker has closed " + std::to_string(losses_) +
             " connections in a row on which this line was sent alone, the last one with: " + why +
             "; the line may be longer than the broker accepts",
         step);
}

void Session::refuse(uint64_t id, std::string why, Step& step) {
  suspect_.reset();
  auto line = outbox_.refuse(id);
  if (line) step.news.push_back({SessionNews::Kind::kTooLong, std::move(why), 0, std::move(line)});
}

// One line at a time until the fate of the suspect is known.
Room Session::room() {
  Room room = broker_->room();
  if (suspect_ && !outbox_.holds(*suspect_)) suspect_.reset();
  if (suspect_) room.lines = outbox_.awaiting() ? 0 : std::min<std::size_t>(room.lines, 1);
  return room;
}

void Session::tell_of_drops(Step& step) {
  const OutboxCounts counts = outbox_.counts();
  const uint64_t dropped = counts.dropped - dropped_before_;
  if (dropped > 0 && !std::exchange(dropping_told_, true)) {
    step.news.push_back({SessionNews::Kind::kDropping, {}, counts.dropped, nullptr});
  }
  if (counts.queued > 0) return;
  if (std::exchange(dropping_told_, false)) {
    step.news.push_back({SessionNews::Kind::kDropped, {}, counts.dropped, nullptr});
  }
  dropped_before_ = counts.dropped;
}

}  // namespace tandem
