// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/publish/real_broker.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/gst/publish/certificates.h"

extern char** environ;

namespace tandem::test {
namespace {

constexpr std::chrono::seconds kBrokerPatience{60};
constexpr char kName[] = "site/people";

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// Not `taken`, which nobody listens at yet.
std::string free_port(const std::string& taken = {}) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0 || getsockname(listener, generic, &size) != 0) {
    throw std::runtime_error("no free port");
  }
  std::string port = std::to_string(ntohs(address.sin_port));
  if (port == taken) port = free_port(taken);
  close(listener);
  return port;
}

bool takes_connections(const std::string& port) {
  const int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(std::stoi(port));
  const bool taken = connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(one);
  return taken;
}

std::string new_folder() {
  std::string name = std::filesystem::temp_directory_path() / "tandem-broker-XXXXXX";
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  return name;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Whole lines.
std::vector<std::string> lines_in(const std::string& path) {
  std::istringstream in(read_all(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(line);
  return lines;
}

template <typename Condition>
bool wait_until(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + kBrokerPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// meson.build says where the programs are; empty when one is not installed.
std::string program(const char* variable) {
  const char* path = std::getenv(variable);
  return path ? path : "";
}

/// Mosquitto, and mosquitto_sub, for whom it keeps what comes while they are away.
class Mosquitto final : public RealBroker {
 public:
  using RealBroker::RealBroker;
  void begin_to_read() override {
    reader_.start({program("TANDEM_MOSQUITTO_SUB"), "-h", "127.0.0.1", "-p", port_, "-t", kName,
                   "-q", "1", "-c", "-i", "reader"},
                  file("received"));
    // Its subscription is in the database, which gets its name when it is complete.
    const bool subscribed =
        wait_until([&] { return read_all(file("mosquitto.db")).find(kName) != std::string::npos; });
    if (!subscribed) throw std::runtime_error("no subscription: " + read_all(file("log")));
  }
  std::vector<std::string> received() override { return lines_in(file("received")); }

 private:
  const char* scheme() const override { return "mqtt"; }
  std::vector<std::string> command() override {
    std::ofstream config(file("mosquitto.conf"));
    config << "listener " << port_ << " 127.0.0.1\npersistence true\npersistence_location "
           << folder_ << "/\nautosave_on_changes true\nautosave_interval 1\nlog_type all\n"
           << "max_queued_messages 0\nuser root\nallow_anonymous "
           << (user_.empty() ? "true" : "false") << "\n";
    if (most_line_bytes > 0) config << "max_packet_size " << most_line_bytes << "\n";
    if (!user_.empty()) {
      Process process;
      process.start(
          {program("TANDEM_MOSQUITTO_PASSWD"), "-c", "-b", file("passwords"), user_, password_},
          file("passwd.log"));
      process.end(0);
      config << "password_file " << file("passwords") << "\n";
    }
    if (secure()) {
      config << "listener " << tls_port_ << " 127.0.0.1\ncafile " << server_files().ca
             << "\ncertfile " << server_files().certificate << "\nkeyfile " << server_files().key
             << "\nrequire_certificate " << (tls.asks_clients ? "true" : "false") << "\n";
    }
    return {program("TANDEM_MOSQUITTO"), "-c", file("mosquitto.conf")};
  }

  Process reader_;
};

/// A Redis server that writes down what it does before it answers: where it also has the file
/// synced now and then, it answers while a slow disk keeps it from writing. The reader is
/// redis-cli, which reads all there is.
class Redis final : public RealBroker {
 public:
  using RealBroker::RealBroker;
  std::vector<std::string> received() override {
    ask({"XRANGE", kName, "-", "+"});
    std::vector<std::string> lines;
    for (std::string& line : lines_in(file("received"))) {
      if (line.starts_with('{')) lines.push_back(std::move(line));
    }
    return lines;
  }

  std::string ask(const std::vector<std::string>& what) override {
    std::vector<std::string> words{program("TANDEM_REDIS_CLI"), "-p", port_};
    words.insert(words.end(), what.begin(), what.end());
    Process process;
    process.start(words, file("received"));
    process.end(0);
    return read_all(file("received"));
  }

 private:
  const char* scheme() const override { return "redis"; }
  std::vector<std::string> command() override {
    std::vector<std::string> words{program("TANDEM_REDIS_SERVER"),
                                   "--port",
                                   port_,
                                   "--bind",
                                   "127.0.0.1",
                                   "--dir",
                                   folder_,
                                   "--appendonly",
                                   "yes",
                                   "--appendfsync",
                                   "no",
                                   "--save",
                                   ""};
    if (!user_.empty()) {
      words.insert(words.end(), {"--user", user_, "on", ">" + password_, "~*", "+@all"});
      words.insert(words.end(), {"--user", "default", "off"});
    }
    if (most_line_bytes > 0)
      words.insert(words.end(), {"--proto-max-bulk-len", std::to_string(most_line_bytes)});
    if (secure()) {
      words.insert(words.end(),
                   {"--tls-port", tls_port_, "--tls-cert-file", server_files().certificate,
                    "--tls-key-file", server_files().key, "--tls-ca-cert-file", server_files().ca,
                    "--tls-auth-clients", tls.asks_clients ? "yes" : "no"});
    }
    return words;
  }
};

}  // namespace

void Process::start(const std::vector<std::string>& words, const std::string& log) {
  // setpriv becomes the program, which dies with us.
  std::vector<std::string> all{"setpriv", "--pdeathsig", "KILL", "--"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  arguments.reserve(all.size() + 1);
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  const int failed = posix_spawnp(&process_, "setpriv", &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed) throw std::runtime_error("cannot start setpriv");
}

bool Process::runs() {
  if (process_ != 0 && waitpid(process_, nullptr, WNOHANG) == process_) process_ = 0;
  return process_ != 0;
}

void Process::signal(int number) const { ::kill(process_, number); }

void Process::end(int signal_number) {
  if (process_ == 0) return;
  if (signal_number) signal(signal_number);
  waitpid(process_, nullptr, 0);
  process_ = 0;
}

RealBroker::RealBroker(bool secure)
    : folder_(new_folder()), port_(free_port()), tls_port_(secure ? free_port(port_) : "") {}

RealBroker::~RealBroker() {
  process_.end(9);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void RealBroker::certify() {
  const Certificates certificates(folder_);
  server_files_ = certificates.issue(file("server"), tls.names, tls.days);
  client_files_ = certificates.issue(file("client"), "DNS:client");
}

void RealBroker::start() {
  if (secure() && server_files_.ca.empty()) certify();
  process_.start(command(), file("log"));
  wait_until([&] {
    const bool ready = takes_connections(port_) && (!secure() || takes_connections(tls_port_));
    return ready || !process_.runs();
  });
  if (process_.runs()) return;
  throw std::runtime_error("the broker does not start: " + read_all(file("log")));
}

void RealBroker::hang() { process_.signal(SIGSTOP); }

std::string RealBroker::location(const std::string& user) const {
  return std::string(scheme()) + (secure() ? "s" : "") + "://" + (user.empty() ? "" : user + "@") +
         "127.0.0.1:" + (secure() ? tls_port_ : port_) + "/" + kName;
}

std::string RealBroker::properties() const {
  return secure() ? "ca-file=" + client_files_.ca + " " : "";
}

void RealBroker::require(const std::string& user, const std::string& password) {
  user_ = user;
  password_ = password;
}

std::unique_ptr<RealBroker> real_broker(const std::string& protocol) {
  const bool secure = protocol == "mqtts" || protocol == "rediss";
  if (secure && program("TANDEM_OPENSSL").empty()) return nullptr;
  if (protocol.starts_with("mqtt")) {
    for (const char* one :
         {"TANDEM_MOSQUITTO", "TANDEM_MOSQUITTO_SUB", "TANDEM_MOSQUITTO_PASSWD"}) {
      if (program(one).empty()) return nullptr;
    }
    return std::make_unique<Mosquitto>(secure);
  }
  if (program("TANDEM_REDIS_SERVER").empty() || program("TANDEM_REDIS_CLI").empty()) return nullptr;
  return std::make_unique<Redis>(secure);
}

}  // namespace tandem::test
