// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem {

/// The capacity of a connection at this moment.
struct Room {
  std::size_t lines = 0;
  std::size_t bytes = 0;  ///< with 1 byte left, a whole line may follow
};

/// Most bytes in flight on a connection, and a line more. This bounds the copies of lines
/// that the libraries keep. With a round trip of 50 ms it allows 80 MB/s.
constexpr std::size_t kMostBytesUnderWay = 4 << 20;

/// News of a connection.
struct BrokerEvents {
  bool connected = false;              ///< the broker has accepted the connection, now or earlier
  std::vector<uint64_t> acknowledged;  ///< lines acknowledged since the last turn
  std::optional<uint64_t> too_long;    ///< a line that the broker accepts on no connection
  std::string lost;                    ///< the reason why the connection is lost; empty: it is not
  bool hopeless = false;               ///< lost, and another connection would be lost as well
};

/// One connection to a broker, used by one thread. No call waits for the network. The destructor
/// closes the connection.
class Broker {
 public:
  Broker() = default;
  virtual ~Broker() = default;
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  /// Sends and receives what the socket allows.
  virtual BrokerEvents turn() = 0;
  /// The lines that may be passed now.
  virtual Room room() const = 0;
  /// Queues a line, to be sent now or in the next turn. Called only within the capacity.
  virtual void publish(uint64_t id, const std::string& line) = 0;
  /// The events to poll the socket for; another turn is due when it is ready.
  virtual pollfd waits_for() const = 0;
};

/// The outcome of opening a connection.
struct Opened {
  std::unique_ptr<Broker> broker;  ///< null: `error` has the reason
  std::string error;
  bool more = false;      ///< the host has further addresses: the next open() tries the next one
  bool hopeless = false;  ///< opening again would fail again
};

/// Opens connections, one at a time.
class Connector {
 public:
  Connector() = default;
  virtual ~Connector() = default;
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// Begins to connect. Resolves the host's name, which may take seconds unless it is cancelled.
  virtual Opened open() = 0;
  /// Makes open() return at once, now and later. From any thread.
  virtual void cancel() = 0;
};

}  // namespace tandem
