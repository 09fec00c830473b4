// SPDX-License-Identifier: LGPL-2.1-or-later
// MQTT 3.1.1 over libmosquitto, QoS 1. The library keeps no line for us: each connection has a
// client of its own, and what was not acknowledged is in the outbox.
#include <mosquitto.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "gst/publish/brokers.h"
#include "gst/publish/tls.h"

namespace tandem {
namespace {

// Longest interval between messages to the broker, which answers a ping.
constexpr int kKeepAliveSeconds = 10;
// Lines that wait for their acknowledgement. At 50 ms there and back these are 2000 a second.
constexpr std::size_t kMostInFlight = 100;

// MQTT 3.1.1, section 1.5.3.
constexpr std::size_t kMostTextBytes = 65535;

// Codes of CONNACK (MQTT 3.1.1, table 3.1).
enum ConnectResult { kAccepted = 0, kUnavailable = 3, kBadPassword = 4, kNotAuthorised = 5 };

class MqttBroker final : public Broker {
 public:
  MqttBroker(const Location& location, const std::string& client_id, const std::string& address)
      : topic_(location.name),
        tls_(location.tls ? std::make_unique<TlsContext>(location) : nullptr) {
    static const int initialised = mosquitto_lib_init();
    (void)initialised;
    client_ = mosquitto_new(client_id.empty() ? nullptr : client_id.c_str(), true, this);
    if (!client_) throw std::runtime_error(std::strerror(errno));
    mosquitto_int_option(client_, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V311);
    mosquitto_int_option(client_, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_max_inflight_messages_set(client_, 0);  // as many as we hand over
    mosquitto_connect_callback_set(client_, &MqttBroker::on_connect);
    mosquitto_publish_callback_set(client_, &MqttBroker::on_publish);
    if (tls_) use_tls();
    if (!location.user.empty()) {
      note(mosquitto_username_pw_set(client_, location.user.c_str(),
                                     location.password ? location.password->c_str() : nullptr));
    }
    note(mosquitto_connect_async(client_, address.c_str(), location.port, kKeepAliveSeconds));
  }

  ~MqttBroker() override {
    mosquitto_disconnect(client_);
    mosquitto_destroy(client_);
  }

  BrokerEvents turn() override {
    if (events_.lost.empty()) note(mosquitto_loop_read(client_, 1));
    if (events_.lost.empty() && tls_ && is_over()) {
      note(mosquitto_loop_read(client_, 1));  // the reason, if the broker sent one
      if (events_.lost.empty()) events_.lost = "the connection failed";
    }
    if (events_.lost.empty()) note(mosquitto_loop_write(client_, 1));
    if (events_.lost.empty()) note(mosquitto_loop_misc(client_));
    BrokerEvents events = events_;
    events_.acknowledged.clear();
    return events;
  }

  Room room() const override {
    return {kMostInFlight - in_flight_.size(),
            kMostBytesUnderWay - std::min(kMostBytesUnderWay, bytes_in_flight_)};
  }

  void publish(uint64_t id, const std::string& line) override {
    if (!events_.lost.empty()) return;
    int message = 0;
    const int result = mosquitto_publish(client_, &message, topic_.c_str(),
                                         static_cast<int>(line.size()), line.data(), 1, false);
    if (result == MOSQ_ERR_SUCCESS) {
      in_flight_.push_back({message, id, line.size()});
      bytes_in_flight_ += line.size();
    }
    if (result == MOSQ_ERR_PAYLOAD_SIZE || result == MOSQ_ERR_OVERSIZE_PACKET)
      events_.too_long = id;
    if (result == MOSQ_ERR_INVAL || result == MOSQ_ERR_MALFORMED_UTF8) events_.hopeless = true;
    note(result);
  }

  pollfd waits_for() const override {
    const int events = POLLIN | (mosquitto_want_write(client_) ? POLLOUT : 0);
    return {mosquitto_socket(client_), static_cast<short>(events), 0};
  }

 private:
  struct Sent {
    int message;  // the library's number
    uint64_t id;
    std::size_t bytes;
  };

  static void on_connect(mosquitto*, void* self, int result) {
    static_cast<MqttBroker*>(self)->connect_answered(result);
  }
  static void on_publish(mosquitto*, void* self, int message) {
    static_cast<MqttBroker*>(self)->acknowledged(message);
  }

  // Our own context: the library's would check the certificate for the address, which we connect
  // to, and would report every fault of it as "a TLS error occurred".
  void use_tls() {
    mosquitto_void_option(client_, MOSQ_OPT_SSL_CTX, tls_->get());
    mosquitto_int_option(client_, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0);
    mosquitto_log_callback_set(client_, &MqttBroker::on_log);
  }

  // The only access to OpenSSL's errors. The first of a series has the reason.
  static void on_log(mosquitto*, void* self, int level, const char* text) {
    auto& error = static_cast<MqttBroker*>(self)->tls_error_;
    const char* code = std::strstr(text, "]: error:");
    if (level == MOSQ_LOG_ERR && code && error == 0) error = std::strtoul(code + 9, nullptr, 16);
  }

  // During the handshake the library mistakes a failed connection for a slow one.
  bool is_over() const {
    pollfd file = {mosquitto_socket(client_), 0, 0};
    return poll(&file, 1, 0) > 0 && (file.revents & POLLHUP);
  }

  void connect_answered(int result) {
    events_.connected = result == kAccepted;
    if (result == kAccepted) return;
    events_.hopeless = result != kUnavailable;
    events_.lost = mosquitto_connack_string(result);
    if (result == kBadPassword || result == kNotAuthorised) {
      events_.lost += " Check user and password in 'location'.";
    }
  }

  void acknowledged(int message) {
    const auto found = std::find_if(in_flight_.begin(), in_flight_.end(),
                                    [&](const Sent& one) { return one.message == message; });
    if (found == in_flight_.end()) return;
    events_.acknowledged.push_back(found->id);
    bytes_in_flight_ -= found->bytes;
    in_flight_.erase(found);
  }

  // Evaluates the result of a call of the library; the first failure is reported.
  void note(int result) {
    const int number = errno;
    if (result == MOSQ_ERR_SUCCESS || result == MOSQ_ERR_CONN_PENDING || !events_.lost.empty()) {
      return;
    }
    events_.lost = result == MOSQ_ERR_ERRNO ? std::strerror(number) : mosquitto_strerror(result);
    if (tls_ && tls_error_ == 0 && number == EPROTO) {
      events_.lost = "the connection was closed";
      // Its alert may be overtaken by the end of the connection, and is then lost.
      if (!events_.connected) events_.lost += " (does the broker require a certificate?)";
    }
    if (!tls_ || tls_error_ == 0) return;
    TlsFailure failure = tls_->failure(tls_error_);
    events_.lost = std::move(failure.what);
    events_.hopeless = failure.hopeless;
  }

  const std::string topic_;
  const std::unique_ptr<TlsContext> tls_;  // null: in the clear
  unsigned long tls_error_ = 0;            // of OpenSSL, the first
  mosquitto* client_ = nullptr;
  std::vector<Sent> in_flight_;  // oldest first
  std::size_t bytes_in_flight_ = 0;
  BrokerEvents events_;
};

std::string refusal_by_mqtt(const Location& location, const std::string& client_id) {
  const auto is_text = [](const std::string& text) {
    return text.size() <= kMostTextBytes &&
           mosquitto_validate_utf8(text.data(), static_cast<int>(text.size())) == MOSQ_ERR_SUCCESS;
  };
  const std::string text = "UTF-8 of at most 65535 bytes without control characters";
  const std::string& topic = location.name;
  if (!is_text(topic) || mosquitto_pub_topic_check2(topic.data(), topic.size()) != MOSQ_ERR_SUCCESS)
    return "The property 'location' has a topic that MQTT does not accept. A topic is " + text +
           ", '+' and '#'.";
  if (!is_text(location.user))
    return "The property 'location' has a user that MQTT does not accept. A user is " + text + ".";
  if (!is_text(client_id)) return "MQTT does not accept this 'client-id'. It must be " + text + ".";
  if (location.password && location.password->size() > kMostTextBytes)
    return "The password is too long: MQTT accepts at most 65535 bytes.";
  return {};
}

std::size_t longest_mqtt_line(const Location& location) {
  constexpr std::size_t kMostRemaining = 268'435'455;      // MQTT 3.1.1, section 2.2.3
  return kMostRemaining - (2 + location.name.size()) - 2;  // the topic with its length, the number
}

std::unique_ptr<Broker> open_mqtt(const Location& location, const std::string& client_id,
                                  const std::string& address) {
  return std::make_unique<MqttBroker>(location, client_id, address);
}

}  // namespace

const BrokerProtocol kMqttProtocol{
    .refusal = refusal_by_mqtt, .longest_line = longest_mqtt_line, .open = open_mqtt};

}  // namespace tandem
