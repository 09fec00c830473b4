// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/http_get.h"

#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "files/ascii.h"
#include "files/file_handle.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

// One connection with a deadline. Every call returns false once `error` says why.
class Connection {
 public:
  Connection(Clock::time_point deadline, int stop_file)
      : deadline_(deadline), stop_file_(stop_file) {}

  bool connect_to(const sockaddr_storage& address, socklen_t size) {
    socket_ = FileHandle(socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) return fail(errno);
    if (connect(socket_.number(), reinterpret_cast<const sockaddr*>(&address), size) == 0)
      return true;
    if (errno != EINPROGRESS) return fail(errno);
    if (!wait_for(POLLOUT)) return false;
    int result = 0;
    socklen_t length = sizeof result;
    getsockopt(socket_.number(), SOL_SOCKET, SO_ERROR, &result, &length);
    return result == 0 || fail(result);
  }

  bool send_all(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        text.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno != EAGAIN && errno != EINTR) {
        return fail(errno);
      } else if (!wait_for(POLLOUT)) {
        return false;
      }
    }
    return true;
  }

  // Appends what there is; `ended` when the server has closed.
  bool receive(std::string& text, bool& ended) {
    char buffer[16384];
    if (!wait_for(POLLIN)) return false;
    const ssize_t size = recv(socket_.number(), buffer, sizeof buffer, 0);
    if (size < 0) return errno == EAGAIN || errno == EINTR || fail(errno);
    ended = size == 0;
    text.append(buffer, static_cast<std::size_t>(size));
    return true;
  }

  const std::string& error() const { return error_; }

 private:
  bool wait_for(short events) {
    pollfd files[] = {{socket_.number(), events, 0}, {stop_file_, POLLIN, 0}};
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
      if (left <= 0) return fail(ETIMEDOUT);
      const int ready = poll(files, 2, static_cast<int>(left));
      if (ready < 0 && errno != EINTR) return fail(errno);
      if (ready <= 0) continue;
      if (files[1].revents) return fail(ECANCELED);
      return true;
    }
  }
  bool fail(int number) {
    error_ = std::strerror(number);
    return false;
  }

  Clock::time_point deadline_;
  int stop_file_;
  FileHandle socket_;
  std::string error_;
};

// The head of an answer, as far as it describes the body.
struct Head {
  std::size_t size = 0;                     // of the head itself
  std::optional<std::size_t> content_size;  // absent: until the server closes
  std::string error;
};

Head parse_head(std::string_view text, std::size_t end) {
  Head head{end + 4, {}, {}};
  const std::string lines = ascii_lower(text.substr(0, end + 2));
  const std::string status = lines.substr(0, lines.find("\r\n"));
  const bool http = status.starts_with("http/1.") && status.size() >= 12;
  if (!http) {
    head.error = "does not answer in HTTP";
  } else if (status.substr(9, 3) != "200") {
    head.error = "answers '" + std::string(text.substr(9, status.size() - 9)) + "'";
  } else if (lines.find("\r\ntransfer-encoding:") != std::string::npos) {
    head.error = "sends its answer in chunks, which is not supported";
  }
  constexpr std::string_view kLength = "\r\ncontent-length:";
  std::size_t at = lines.find(kLength);
  if (at == std::string::npos) return head;
  at = lines.find_first_not_of(' ', at + kLength.size());
  std::size_t length = 0;
  if (std::from_chars(lines.data() + at, lines.data() + lines.size(), length).ec == std::errc()) {
    head.content_size = length;
  } else {
    head.error = "sends an invalid Content-Length";
  }
  return head;
}

HttpResult receive_answer(Connection& connection, std::size_t most_bytes) {
  std::string text;
  std::optional<Head> head;
  bool ended = false;
  for (;;) {
    if (!head) {
      const std::size_t end = text.find("\r\n\r\n");
      if (end != std::string::npos) head = parse_head(text, end);
      if (head && !head->error.empty()) return {{}, head->error};
    }
    const std::size_t expected = head && head->content_size ? *head->content_size : 0;
    if (expected > most_bytes || text.size() > most_bytes) {
      return {{}, "sends more than " + std::to_string(most_bytes >> 20) + " MiB"};
    }
    const bool complete =
        head && (head->content_size ? text.size() >= head->size + expected : ended);
    if (complete) return {text.substr(head->size, head->content_size.value_or(text.npos)), {}};
    if (ended) return {{}, "closed the connection before its answer was complete"};
    if (!connection.receive(text, ended)) return {{}, connection.error()};
  }
}

}  // namespace

HttpClient::HttpClient(std::string host, int port) : address_(host + ":" + std::to_string(port)) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (failed) throw std::runtime_error(address_ + ": " + gai_strerror(failed));
  for (const addrinfo* one = list; one; one = one->ai_next) {
    Target target;
    std::memcpy(&target.address, one->ai_addr, one->ai_addrlen);
    target.size = one->ai_addrlen;
    targets_.push_back(target);
  }
  freeaddrinfo(list);
}

HttpResult HttpClient::get(const std::string& path, std::chrono::milliseconds timeout,
                           std::size_t most_bytes, int stop_file) const {
  Connection connection(Clock::now() + timeout, stop_file);
  const bool connected = std::any_of(targets_.begin(), targets_.end(), [&](const Target& target) {
    return connection.connect_to(target.address, target.size);
  });
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + address_ +
                              "\r\nAccept: application/json\r\nConnection: close\r\n\r\n";
  if (!connected || !connection.send_all(request)) return {{}, connection.error()};
  return receive_answer(connection, most_bytes);
}

}  // namespace tandem
