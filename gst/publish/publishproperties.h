// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/propertytable.h>

#include <string>

namespace tandem {

/// The values of tandempublish's properties.
struct PublishSettings {
  std::string location, password_file, ca_file, certificate_file, key_file, client_id;
  // 10000 lines are five minutes at 30 a second. They fit into 64 MiB if they have 6.7 kB on
  // average: some 60 detections a frame. 64 MiB is less than a machine that decodes video would
  // miss.
  guint queue_size = 10'000;
  guint64 queue_bytes = 64 << 20;
  guint drain_timeout_s = 5;
};

inline constexpr Property<PublishSettings> kPublishProperties[] = {
    {"location", "Location",
     "mqtt[s]://[user[:password]@]host[:port]/topic or "
     "redis[s]://[[user]:password@]host[:port]/stream[?maxlen=LINES]; the s selects TLS; reading "
     "the property omits the password",
     &PublishSettings::location, 0, 0, GST_PARAM_MUTABLE_READY},
    {"password-file", "Password file",
     "File whose first line is the password, for a location without one. Other users can read "
     "the arguments of a command",
     &PublishSettings::password_file, 0, 0, GST_PARAM_MUTABLE_READY},
    {"ca-file", "CA file",
     "TLS: certificates of trusted authorities, as PEM. Empty: those of the system",
     &PublishSettings::ca_file, 0, 0, GST_PARAM_MUTABLE_READY},
    {"certificate-file", "Certificate file",
     "TLS: the element's own certificate, as PEM, for a broker that requires one",
     &PublishSettings::certificate_file, 0, 0, GST_PARAM_MUTABLE_READY},
    {"key-file", "Key file",
     "TLS: the private key of certificate-file, as PEM, without a passphrase. Empty: it "
     "is in certificate-file",
     &PublishSettings::key_file, 0, 0, GST_PARAM_MUTABLE_READY},
    {"client-id", "Client id",
     "Identifier of this element, unique among the clients of the broker. Empty: the broker "
     "chooses",
     &PublishSettings::client_id, 0, 0, GST_PARAM_MUTABLE_READY},
    {"queue-size", "Queue size",
     "Most lines that wait for the broker; beyond them the oldest are dropped (lines)",
     &PublishSettings::queue_size, 1, 10'000'000, GST_PARAM_MUTABLE_READY},
    {"queue-bytes", "Queue bytes",
     "Most bytes of the lines that wait, a bound like queue-size. A line with more bytes is "
     "skipped (bytes)",
     &PublishSettings::queue_bytes, 1, G_MAXINT64, GST_PARAM_MUTABLE_READY},
    {"drain-timeout", "Drain timeout",
     "Longest time for which the end of the stream waits until all lines are published (s)",
     &PublishSettings::drain_timeout_s, 0, 3600},
};

}  // namespace tandem
