// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gio/gio.h>

#include <string>
#include <vector>

#include "gst/publish/broker.h"
#include "gst/publish/location.h"

namespace tandem {

/// Connects to a location: looks the host's name up anew whenever all of its addresses were tried.
class HostConnector final : public Connector {
 public:
  HostConnector(Location location, std::string client_id);
  ~HostConnector() override;

  Opened open() override;
  void cancel() override;

 private:
  std::string look_up();

  const Location location_;
  const std::string client_id_;
  std::vector<std::string> addresses_;  // still to be tried, the next one last
  GCancellable* const cancellable_;
};

}  // namespace tandem
