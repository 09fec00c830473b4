// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/publish/hostconnector.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gst/publish/brokers.h"

namespace tandem {

// GLib looks up on a thread that it leaves alone when cancelled.
std::vector<std::string> look_up(const std::string& host, GCancellable* cancellable,
                                 std::string& why) {
  GError* error = nullptr;
  GResolver* resolver = g_resolver_get_default();
  GList* found = g_resolver_lookup_by_name(resolver, host.c_str(), cancellable, &error);
  g_object_unref(resolver);
  if (error) why = error->message;
  g_clear_error(&error);
  std::vector<std::string> addresses;
  for (const GList* one = found; one; one = one->next) {
    gchar* text = g_inet_address_to_string(G_INET_ADDRESS(one->data));
    addresses.emplace_back(text);
    g_free(text);
  }
  g_resolver_free_addresses(found);
  return addresses;
}

HostConnector::HostConnector(Location location, std::string client_id)
    : location_(std::move(location)),
      client_id_(std::move(client_id)),
      cancellable_(g_cancellable_new()) {}

HostConnector::~HostConnector() { g_object_unref(cancellable_); }

void HostConnector::cancel() { g_cancellable_cancel(cancellable_); }

Opened HostConnector::open() {
  Opened opened;
  if (addresses_.empty()) {
    addresses_ = look_up(location_.host, cancellable_, opened.error);
    std::reverse(addresses_.begin(), addresses_.end());
  }
  if (addresses_.empty()) return opened;
  const std::string address = std::move(addresses_.back());
  addresses_.pop_back();
  opened.more = !addresses_.empty();
  try {
    opened.broker = protocol_of(location_).open(location_, client_id_, address);
  } catch (const std::invalid_argument& e) {
    opened.error = e.what();
    opened.hopeless = true;
  } catch (const std::exception& e) {
    opened.error = e.what();
  }
  return opened;
}

}  // namespace tandem
