// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenSSL works on memory and never sees the socket: one place sends and receives, without signals
// and without waiting, whether there is TLS or not.
#include "gst/publish/wire.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace tandem {
namespace {

constexpr std::size_t kMostReceived = 1 << 18;  // a turn, so that it ends
constexpr std::size_t kMostWritten = 1 << 20;   // a call of OpenSSL, which counts in int

int connect_to(const std::string& address, uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error =
          getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    throw std::runtime_error(gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  const int file = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (file < 0) throw std::runtime_error(std::strerror(errno));
  const int on = 1;
  setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (connect(file, found->ai_addr, found->ai_addrlen) == 0 || errno == EINPROGRESS) return file;
  const int error = errno;
  close(file);
  throw std::runtime_error(std::strerror(error));
}

}  // namespace

Wire::Wire(const Location& location, const std::string& address) {
  if (location.tls) {
    context_ = std::make_unique<TlsContext>(location);
    tls_.reset(SSL_new(context_->get()));
    from_server_ = BIO_new(BIO_s_mem());
    to_server_ = BIO_new(BIO_s_mem());
    if (!tls_ || !from_server_ || !to_server_) throw std::bad_alloc();
    SSL_set_bio(tls_.get(), from_server_, to_server_);
    SSL_set_connect_state(tls_.get());
  }
  socket_ = connect_to(address, location.port);
}

Wire::~Wire() { close(socket_); }

std::string Wire::turn() {
  std::string received;
  if (!lost_.empty()) return received;
  std::string error = send();
  received = receive();               // a server that accepts no more may have sent the reason
  if (error.empty()) error = send();  // what TLS answers, if only why it refuses
  if (!error.empty() && !hopeless_) lost_ = std::move(error);
  return received;
}

pollfd Wire::waits_for() const {
  return {socket_, static_cast<short>(POLLIN | (unsent_.empty() ? 0 : POLLOUT)), 0};
}

void Wire::lose(std::string why, bool hopeless) {
  if (!lost_.empty()) return;
  lost_ = std::move(why);
  hopeless_ = hopeless;
}

// Returns what failed.
std::string Wire::send() {
  std::string error;
  if (tls_) {
    encrypt();
  } else if (unsent_.empty()) {
    unsent_.swap(plain_);  // a long line is not copied
  } else {
    unsent_ += std::exchange(plain_, {});
  }
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t count =
        ::send(socket_, unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) error = std::strerror(errno);
    if (count < 0) break;
    sent += static_cast<std::size_t>(count);
  }
  unsent_.erase(0, sent);
  return error;
}

std::string Wire::receive() {
  std::string received;
  char bytes[16384];
  while (lost_.empty() && received.size() < kMostReceived) {
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) lose(std::strerror(errno));
    if (count == 0) lose("the server has closed the connection");
    if (count <= 0) break;
    const std::string_view came(bytes, static_cast<std::size_t>(count));
    received += tls_ ? decrypt(came) : came;
  }
  return received;
}

// Decrypts the bytes; empty during the handshake.
std::string Wire::decrypt(std::string_view bytes) {
  ERR_clear_error();
  std::string plain;
  if (BIO_write(from_server_, bytes.data(), static_cast<int>(bytes.size())) <= 0)
    lose("no memory for the server's reply");
  char part[16384];
  for (;;) {
    const int count = SSL_read(tls_.get(), part, sizeof part);
    if (count > 0) {
      plain.append(part, static_cast<std::size_t>(count));
      continue;
    }
    lose_tls(count);
    return plain;
  }
}

// Encrypts nothing until the handshake is done. The first call begins it.
void Wire::encrypt() {
  ERR_clear_error();
  if (const int shaken = SSL_do_handshake(tls_.get()); shaken != 1) lose_tls(shaken);
  std::size_t done = 0;
  while (SSL_is_init_finished(tls_.get()) && lost_.empty() && done < plain_.size()) {
    const int count = SSL_write(tls_.get(), plain_.data() + done,
                                static_cast<int>(std::min(plain_.size() - done, kMostWritten)));
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count <= 0) lose_tls(count);
  }
  plain_.erase(0, done);
  char bytes[16384];
  for (int count; (count = BIO_read(to_server_, bytes, sizeof bytes)) > 0;)
    unsent_.append(bytes, static_cast<std::size_t>(count));
}

void Wire::lose_tls(int result) {
  const int error = SSL_get_error(tls_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return;
  if (error == SSL_ERROR_ZERO_RETURN) return lose("the server has closed the connection");
  TlsFailure failure = context_->failure(ERR_get_error());
  ERR_clear_error();
  lose(std::move(failure.what), failure.hopeless);
}

}  // namespace tandem
