// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/publish/tcp_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace tandem::test {
namespace {

sockaddr_in this_machine(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

int new_socket() { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

}  // namespace

TcpServer::TcpServer(std::function<void(int)> serve)
    : serve_(std::move(serve)), listener_(new_socket()) {
  sockaddr_in address = this_machine(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, generic, size) != 0 || getsockname(listener_, generic, &size) != 0 ||
      listen(listener_, 8) != 0)
    throw std::runtime_error("no free port");
  port_ = std::to_string(ntohs(address.sin_port));
  thread_ = std::thread([this] {
    while (!stopping_) {
      const int client = accept(listener_, nullptr, nullptr);
      if (client < 0) continue;
      if (!stopping_) serve_(client);
      close(client);
    }
  });
}

TcpServer::~TcpServer() {
  stopping_ = true;
  close(connect(port_));  // ends accept()
  thread_.join();
  close(listener_);
}

std::string TcpServer::receive(int file) {
  char bytes[65536];
  const ssize_t count = recv(file, bytes, sizeof bytes, 0);
  return {bytes, count > 0 ? static_cast<std::size_t>(count) : 0};
}

bool TcpServer::send(int file, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count = ::send(file, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

int TcpServer::connect(const std::string& port) {
  const int file = new_socket();
  const sockaddr_in address = this_machine(std::stoi(port));
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return file;
  close(file);
  return -1;
}

}  // namespace tandem::test
