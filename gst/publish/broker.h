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

/// How much a connection takes now.
struct Room {
  std::size_t lines = 0;
  std::size_t bytes = 0;  ///< with 1 byte left, a whole line may follow
};

/// A connection has at most so many bytes under way, and a line more. It bounds the copies of lines
/// that the libraries keep. With answers after 50 ms it allows 80 MB/s.
constexpr std::size_t kMostBytesUnderWay = 4 << 20;

/// News of a connection.
struct BrokerEvents {
  bool connected = false;              ///< the broker has let us in, now or earlier
  std::vector<uint64_t> acknowledged;  ///< lines that it has taken over since the last turn
  std::optional<uint64_t> too_long;    ///< a line that the broker takes on no connection
  std::string lost;                    ///< why the connection is of no more use; empty: it is
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
  /// The lines that may be handed over now.
  virtual Room room() const = 0;
  /// Hands a line over, to be sent now or in the next turn. Only when there is room.
  virtual void publish(uint64_t id, const std::string& line) = 0;
  /// The events to poll the socket for; another turn is due when it is ready.
  virtual pollfd waits_for() const = 0;
};

/// The outcome of opening a connection.
struct Opened {
  std::unique_ptr<Broker> broker;  ///< null: `error` says why
  std::string error;
  bool more = false;      ///< the host has further addresses: open again to try the next
  bool hopeless = false;  ///< opening again would fail again
};

/// Opens connections, one at a time.
class Connector {
 public:
  Connector() = default;
  virtual ~Connector() = default;
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  /// Begins to connect. Looks the host's name up, which may take seconds unless it is cancelled.
  virtual Opened open() = 0;
  /// Has open() return at once, now and later. From any thread.
  virtual void cancel() = 0;
};

}  // namespace tandem
