// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <string>

#include "gst/publish/location.h"
#include "gst/publish/outbox.h"

namespace tandem {

/// What the properties of tandempublish say.
struct PublishSettings {
  /// The id of the one property that is no setting.
  static constexpr guint kStats = 10;

  static void install(GObjectClass* object);  ///< all properties
  /// False: there is no such property. The caller holds the object lock of the element.
  bool set(guint property, const GValue* value);
  bool get(guint property, GValue* value) const;  ///< the location without its password

  std::string location, password_file, client_id;
  TlsFiles tls_files;
  OutboxLimits limits = {10'000, 64 << 20};  // publishsettings.cpp says why
  guint drain_seconds = 5;
};

}  // namespace tandem
