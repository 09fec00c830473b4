// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "gst/publish/broker.h"

namespace tandem::test {

/// A broker without a network: what it does is set by the test.
struct FakeServer {
  bool up = true;
  bool answers = true;            ///< false: it takes lines and says nothing
  int dies_after = -1;            ///< lines that it takes before it dies; -1: it lives
  bool acknowledges_last = true;  ///< whether it acknowledges the line that it dies with
  std::size_t room = 4;
  std::size_t longest = 1 << 30;  ///< it closes the connection at a longer line
  std::string refusal;            ///< why it lets nobody in, for good
  std::string useless_file;       ///< why no connection can be opened, for good
  bool more_addresses = false;
  int opened = 0;  ///< connections, tried or made
  int open_now = 0;
  std::vector<std::string> received;
};

class FakeBroker final : public Broker {
 public:
  explicit FakeBroker(FakeServer& server) : server_(server) { ++server_.open_now; }
  ~FakeBroker() override { --server_.open_now; }

  BrokerEvents turn() override {
    BrokerEvents events;
    if (!server_.refusal.empty()) {
      events.lost = server_.refusal;
      events.hopeless = true;
      return events;
    }
    events.connected = server_.answers;
    if (server_.answers) {
      events.acknowledged.assign(acknowledged_.begin(), acknowledged_.end());
      acknowledged_.clear();
    }
    if (!server_.up) events.lost = "the broker died";
    if (closed_) events.lost = "the broker closed the connection";
    return events;
  }
  Room room() const override { return {server_.room - acknowledged_.size(), kMostBytesUnderWay}; }
  void publish(uint64_t id, const std::string& line) override {
    if (!server_.up) return;
    if (closed_ || line.size() > server_.longest) {
      closed_ = true;
      return;
    }
    const bool last = server_.dies_after == 0;
    server_.received.push_back(line);
    if (last) server_.up = false;
    if (!last || server_.acknowledges_last) acknowledged_.push_back(id);
    if (server_.dies_after > 0) --server_.dies_after;
  }
  pollfd waits_for() const override { return {-1, 0, 0}; }

 private:
  FakeServer& server_;
  std::deque<uint64_t> acknowledged_;
  bool closed_ = false;
};

class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(FakeServer& server) : server_(server) {}
  Opened open() override {
    ++server_.opened;
    Opened opened;
    opened.more = std::exchange(server_.more_addresses, false);
    if (!server_.useless_file.empty()) {
      opened.error = server_.useless_file;
      opened.hopeless = true;
    } else if (server_.up) {
      opened.broker = std::make_unique<FakeBroker>(server_);
    } else {
      opened.error = "nobody is there";
    }
    return opened;
  }
  void cancel() override {}

 private:
  FakeServer& server_;
};

}  // namespace tandem::test
