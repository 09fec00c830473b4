// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/hostconnector.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "gst/publish/brokers.h"

namespace tandem {

std::string missing_support(Location::Protocol protocol) {
  return protocol == Location::Protocol::kMqtt ? missing_mqtt() : missing_redis();
}

HostConnector::HostConnector(Location location, std::string client_id)
    : location_(std::move(location)),
      client_id_(std::move(client_id)),
      cancellable_(g_cancellable_new()) {}

HostConnector::~HostConnector() { g_object_unref(cancellable_); }

void HostConnector::cancel() { g_cancellable_cancel(cancellable_); }

Opened HostConnector::open() {
  Opened opened;
  if (addresses_.empty()) opened.error = look_up();
  if (addresses_.empty()) return opened;
  const std::string address = std::move(addresses_.back());
  addresses_.pop_back();
  opened.more = !addresses_.empty();
  try {
    const bool mqtt = location_.protocol == Location::Protocol::kMqtt;
    opened.broker = (mqtt ? open_mqtt : open_redis)(location_, client_id_, address);
  } catch (const std::exception& e) {
    opened.error = e.what();
  }
  return opened;
}

// Fills addresses_ or says why not. GLib looks up on a thread that it leaves alone when cancelled.
std::string HostConnector::look_up() {
  GError* error = nullptr;
  GResolver* resolver = g_resolver_get_default();
  GList* found = g_resolver_lookup_by_name(resolver, location_.host.c_str(), cancellable_, &error);
  g_object_unref(resolver);
  std::string why;
  if (error) why = error->message;
  g_clear_error(&error);
  for (const GList* one = found; one; one = one->next) {
    gchar* text = g_inet_address_to_string(G_INET_ADDRESS(one->data));
    addresses_.emplace_back(text);
    g_free(text);
  }
  g_resolver_free_addresses(found);
  std::reverse(addresses_.begin(), addresses_.end());
  return why;
}

}  // namespace tandem
