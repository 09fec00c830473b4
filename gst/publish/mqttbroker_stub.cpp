// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without libmosquitto links.
#include <stdexcept>

#include "gst/publish/brokers.h"

namespace tandem {

std::string missing_mqtt() {
  return "This build cannot speak MQTT. Install libmosquitto-dev, then configure and build again.";
}

std::string refusal_by_mqtt(const Location&, const std::string&) { return {}; }
std::size_t longest_mqtt_line(const Location&) { return 0; }

std::unique_ptr<Broker> open_mqtt(const Location&, const std::string&, const std::string&) {
  throw std::runtime_error(missing_mqtt());
}

}  // namespace tandem
