// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/energy/http_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace tandem::test {
namespace {

int open_listener(int& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, size) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

HttpServer::HttpServer(Handler handler)
    : handler_(std::move(handler)), listener_(open_listener(port_)) {
  thread_ = std::thread(&HttpServer::serve, this);
}

HttpServer::~HttpServer() {
  shutdown(listener_, SHUT_RDWR);  // wakes accept()
  thread_.join();
  for (const int connection : silent_) close(connection);
  close(listener_);
}

std::vector<std::string> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void HttpServer::serve() {
  for (;;) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    answer(connection);
  }
}

void HttpServer::answer(int connection) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t size = recv(connection, buffer, sizeof buffer, 0);
    if (size <= 0) break;
    request.append(buffer, static_cast<std::size_t>(size));
  }
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  const std::size_t begin = request.find(' ') + 1;
  const auto reply = handler_(request.substr(begin, request.find(' ', begin) - begin));
  if (!reply) {
    silent_.push_back(connection);
    return;
  }
  std::string_view rest = *reply;
  while (!rest.empty()) {
    const ssize_t sent = send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the client has seen enough
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  close(connection);
}

std::string http_ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

int closed_port() {
  int port = 0;
  close(open_listener(port));
  return port;
}

}  // namespace tandem::test
