// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <openssl/ssl.h>
#include <poll.h>

#include <memory>
#include <string>
#include <string_view>

#include "gst/publish/location.h"
#include "gst/publish/tls.h"

namespace tandem {

/// Bytes to and from a server, in the clear or over TLS, by the location. No call waits.
class Wire {
 public:
  /// Begins to connect to `address`, a numeric one of the location's host. Throws
  /// std::invalid_argument if a retry would fail too, else std::runtime_error.
  Wire(const Location& location, const std::string& address);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Adds bytes that the next turns send.
  void write(std::string_view bytes) { plain_ += bytes; }
  /// Sends and receives as far as the socket allows. Returns the received bytes.
  std::string turn();
  /// The reason why the connection is lost; empty: it is not.
  const std::string& lost() const { return lost_; }
  bool hopeless() const { return hopeless_; }  ///< lost, and another one would be as well
  /// The events to poll the socket for; another turn is due when it is ready.
  pollfd waits_for() const;

 private:
  void lose(std::string why, bool hopeless = false);
  std::string send();
  std::string receive();
  std::string decrypt(std::string_view bytes);
  void encrypt();
  void lose_tls(int result);

  std::unique_ptr<TlsContext> context_;  // null: in the clear
  std::unique_ptr<SSL, void (*)(SSL*)> tls_{nullptr, SSL_free};
  BIO *from_server_ = nullptr, *to_server_ = nullptr;  // memory; tls_ owns them
  int socket_ = -1;
  std::string plain_, unsent_;  // to be encrypted, and to be sent
  std::string lost_;
  bool hopeless_ = false;
};

}  // namespace tandem
