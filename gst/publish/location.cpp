// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/location.h"

#include <glib.h>
#include <sys/stat.h>

#include <stdexcept>

#include "files/parse_number.h"
#include "files/regular_file.h"

namespace tandem {
namespace {

constexpr char kForms[] =
    "mqtt[s]://[user[:password]@]host[:port]/topic or "
    "redis[s]://[[user]:password@]host[:port]/stream[?maxlen=LINES]";
constexpr char kQueueForm[] = "redis[s]://[[user]:password@]host[:port]/queue";

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

std::string decode(std::string_view text, const char* part) {
  std::string decoded;
  if (text.find('\0') != text.npos) refuse("the " + std::string(part) + " has a zero byte");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto byte = parse_number<uint8_t>(text.substr(i + 1, 2), 16);
    if (i + 2 >= text.size() || byte.value_or(0) == 0) {
      refuse("the " + std::string(part) +
             " has a '%' that no two hexadecimal digits other than 00 "
             "follow (a percent sign is written as %25)");
    }
    decoded += static_cast<char>(*byte);
    i += 2;
  }
  return decoded;
}

// The part before `separator`, which is taken away from `text` with it; all when there is none.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return part;
}

void read_user(std::string_view text, Location& location) {
  const bool has_password = text.find(':') != text.npos;
  location.user = decode(cut(text, ':'), "user");
  if (!has_password) return;
  if (location.password) refuse("there are two passwords, one of them in the location");
  location.password = decode(text, "password");
}

void check_user(const Location& location) {
  const bool mqtt = location.protocol == Location::Protocol::kMqtt;
  if (mqtt && location.user.empty() && location.password)
    refuse("the location has a password but no user");
  if (!mqtt && !location.user.empty() && !location.password)
    refuse("the location has a user but no password");
}

void read_host(std::string_view text, Location& location) {
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    if (text.find(']') == text.npos) refuse("the host's '[' is not closed");
    location.host = cut(text, ']');
    if (!text.empty() && !text.starts_with(':')) refuse("after the host's ']' comes no port");
    if (!text.empty()) text.remove_prefix(1);
  } else {
    location.host = decode(cut(text, ':'), "host");
  }
  if (location.host.empty()) refuse("the location has no host");
  if (location.protocol == Location::Protocol::kMqtt)
    location.port = location.tls ? 8883 : 1883;
  else
    location.port = 6379;
  if (text.empty()) return;
  location.port = parse_number<uint16_t>(text).value_or(0);
  if (location.port == 0) refuse("the port is not a number from 1 to 65535");
}

void read_query(std::string_view query, Location& location) {
  constexpr std::string_view kMaxlen = "maxlen=";
  if (location.protocol != Location::Protocol::kRedis || !query.starts_with(kMaxlen)) {
    refuse("the option after the '?' is unknown (a question mark is written as %3F)");
  }
  query.remove_prefix(kMaxlen.size());
  location.most_lines = parse_number<uint64_t>(query).value_or(0);
  if (location.most_lines == 0) refuse("maxlen is not a number of lines, 1 or more");
}

// The topic or the key, with its options.
void read_name(std::string_view text, Location& location) {
  const bool has_query = text.find('?') != text.npos;
  location.name = decode(cut(text, '?'), "topic or stream");
  if (has_query) read_query(text, location);
  if (location.name.empty()) refuse("the location has no topic or stream");
  if (location.protocol != Location::Protocol::kMqtt) return;
  if (location.name.find_first_of("+#") != std::string::npos) {
    refuse("the topic has a '+' or '#', which are for subscribers");
  }
  if (location.name.size() > 65535) refuse("the topic has more than 65535 bytes");
}

Location read_location(std::string_view uri, const std::optional<std::string>& password) {
  Location location;
  location.password = password;
  const std::size_t colon = uri.find("://");
  if (colon == uri.npos) refuse("the text is not a location");
  const std::string_view scheme = uri.substr(0, colon);
  location.tls = scheme == "mqtts" || scheme == "rediss";
  if (scheme == "redis" || scheme == "rediss") {
    location.protocol = Location::Protocol::kRedis;
  } else if (scheme != "mqtt" && scheme != "mqtts") {
    refuse("the scheme is neither mqtt[s] nor redis[s]");
  }
  std::string_view name = uri.substr(colon + 3);
  std::string_view server = cut(name, '/');
  if (const std::size_t at = server.rfind('@'); at != server.npos) {
    read_user(server.substr(0, at), location);
    server.remove_prefix(at + 1);
  }
  check_user(location);
  read_host(server, location);
  read_name(name, location);
  return location;
}

}  // namespace

Location parse_location(std::string_view uri, const std::optional<std::string>& password) try {
  return read_location(uri, password);
} catch (const std::invalid_argument& e) {
  throw std::invalid_argument(std::string(e.what()) + "; a location is " + kForms);
}

Location parse_queue_location(std::string_view uri) try {
  Location location = read_location(uri, {});
  if (location.protocol != Location::Protocol::kRedis) refuse("a queue needs a Redis server");
  if (location.most_lines > 0) refuse("maxlen is for lines that are published");
  return location;
} catch (const std::invalid_argument& e) {
  throw std::invalid_argument(std::string(e.what()) + "; a queue is " + kQueueForm);
}

std::string Location::shown() const {
  const bool mqtt = protocol == Protocol::kMqtt;
  const bool brackets = host.find(':') != std::string::npos;
  return std::string(mqtt ? "mqtt" : "redis") + (tls ? "s://" : "://") +
         (user.empty() ? "" : user + "@") + (brackets ? "[" + host + "]" : host) + ":" +
         std::to_string(port) + "/" + name;
}

std::string without_password(std::string_view uri) {
  const std::size_t colon = uri.find("://");
  const std::size_t begin = colon == uri.npos ? 0 : colon + 3;
  // The last '@' of all: a password may hold a '/' that should have been %2F.
  const std::size_t at = uri.rfind('@');
  const std::size_t user_end = uri.find(':', begin);
  if (at == uri.npos || user_end == uri.npos || at < user_end) return std::string(uri);
  return std::string(uri.substr(0, user_end + 1)) + "..." + std::string(uri.substr(at));
}

std::string read_password_file(const std::string& path) {
  constexpr std::size_t kMostBytes = 4096;
  RegularFile file = read_regular_file(path, kMostBytes);
  std::string password = file.bytes.substr(0, file.bytes.find_first_of("\r\n"));
  if (file.problem.empty() && password.empty()) file.problem = "begins with no password";
  if (password.find('\0') != password.npos) file.problem = "has a zero byte in the password";
  if (!file.problem.empty()) throw std::runtime_error("'" + path + "' " + file.problem);
  return password;
}

std::string exposure_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !(status.st_mode & (S_IRGRP | S_IROTH))) return {};
  gchar* quoted = g_shell_quote(path.c_str());
  std::string text = "Other users may read '" + path + "'. Run: chmod 600 " + quoted;
  g_free(quoted);
  return text;
}

}  // namespace tandem
