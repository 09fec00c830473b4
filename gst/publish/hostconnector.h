// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gio/gio.h>

#include <string>
#include <vector>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// The numeric addresses of a host, in the order to try them; none: `why` has the reason. Waits for
/// the name server until `cancellable`, which may be null, is cancelled.
std::vector<std::string> look_up(const std::string& host, GCancellable* cancellable,
                                 std::string& why);

/// Connects to a location. Resolves the host's name again whenever all of its addresses were tried.
class HostConnector final : public Connector {
 public:
  HostConnector(Location location, std::string client_id);
  ~HostConnector() override;

  Opened open() override;
  void cancel() override;

 private:
  const Location location_;
  const std::string client_id_;
  std::vector<std::string> addresses_;  // still to be tried, the next one last
  GCancellable* const cancellable_;
};

}  // namespace tandem
