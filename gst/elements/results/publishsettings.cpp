// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/results/publishsettings.h"

namespace tandem {
namespace {

enum {
  PROP_LOCATION = 1,
  PROP_PASSWORD_FILE,
  PROP_CA_FILE,
  PROP_CERTIFICATE_FILE,
  PROP_KEY_FILE,
  PROP_CLIENT_ID,
  PROP_QUEUE_SIZE,
  PROP_QUEUE_BYTES,
  PROP_DRAIN_TIMEOUT
};
static_assert(PROP_DRAIN_TIMEOUT < PublishSettings::kStats, "each property has an id of its own");

// 10000 lines are five minutes at 30 a second. They fit into 64 MiB if they have 6.7 kB on average:
// some 60 detections a frame. 64 MiB is less than a machine that decodes video would miss.
constexpr guint kMostQueueLines = 10'000'000;
constexpr guint kMostDrainSeconds = 3600;

// The text of a property; null when it is none.
template <typename Settings>
auto text_of(Settings& settings, guint property) -> decltype(&settings.location) {
  switch (property) {
    case PROP_LOCATION:
      return &settings.location;
    case PROP_PASSWORD_FILE:
      return &settings.password_file;
    case PROP_CA_FILE:
      return &settings.tls_files.ca;
    case PROP_CERTIFICATE_FILE:
      return &settings.tls_files.certificate;
    case PROP_KEY_FILE:
      return &settings.tls_files.key;
    case PROP_CLIENT_ID:
      return &settings.client_id;
    default:
      return nullptr;
  }
}

}  // namespace

bool PublishSettings::set(guint property, const GValue* value) {
  if (std::string* text = text_of(*this, property)) {
    const gchar* given = g_value_get_string(value);
    *text = given ? given : "";
    return true;
  }
  switch (property) {
    case PROP_QUEUE_SIZE:
      limits.lines = g_value_get_uint(value);
      return true;
    case PROP_QUEUE_BYTES:
      limits.bytes = g_value_get_uint64(value);
      return true;
    case PROP_DRAIN_TIMEOUT:
      drain_seconds = g_value_get_uint(value);
      return true;
    default:
      return false;
  }
}

bool PublishSettings::get(guint property, GValue* value) const {
  if (const std::string* text = text_of(*this, property)) {
    const bool masked = property == PROP_LOCATION;
    g_value_set_string(value, masked ? without_password(*text).c_str() : text->c_str());
    return true;
  }
  switch (property) {
    case PROP_QUEUE_SIZE:
      g_value_set_uint(value, static_cast<guint>(limits.lines));
      return true;
    case PROP_QUEUE_BYTES:
      g_value_set_uint64(value, limits.bytes);
      return true;
    case PROP_DRAIN_TIMEOUT:
      g_value_set_uint(value, drain_seconds);
      return true;
    default:
      return false;
  }
}

void PublishSettings::install(GObjectClass* object) {
  const PublishSettings defaults;
  const auto ready = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                              GST_PARAM_MUTABLE_READY);
  const auto playing = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                GST_PARAM_MUTABLE_PLAYING);
  const auto install_text = [&](guint id, const char* name, const char* nick, const char* blurb) {
    g_object_class_install_property(object, id, g_param_spec_string(name, nick, blurb, "", ready));
  };
  install_text(
      PROP_LOCATION, "location", "Location",
      "mqtt[s]://[user[:password]@]host[:port]/topic or "
      "redis[s]://[[user]:password@]host[:port]/stream[?maxlen=LINES]; the s asks for TLS; "
      "it reads without the password");
  install_text(PROP_PASSWORD_FILE, "password-file", "Password file",
               "A file whose first line is the password, for a location without one: other users "
               "see the words of a command");
  install_text(PROP_CA_FILE, "ca-file", "CA file",
               "TLS: certificates that vouch for the broker, as PEM. Empty: those of the system");
  install_text(PROP_CERTIFICATE_FILE, "certificate-file", "Certificate file",
               "TLS: the element's own certificate, as PEM, for a broker that asks for one");
  install_text(PROP_KEY_FILE, "key-file", "Key file",
               "TLS: the private key of certificate-file, as PEM, without a passphrase. Empty: it "
               "is in certificate-file");
  install_text(PROP_CLIENT_ID, "client-id", "Client id",
               "What the broker knows this element by; no two clients may share one. Empty: the "
               "broker chooses");
  g_object_class_install_property(
      object, PROP_QUEUE_SIZE,
      g_param_spec_uint("queue-size", "Queue size",
                        "Lines that are kept while the broker is away; then the oldest are dropped",
                        1, kMostQueueLines, static_cast<guint>(defaults.limits.lines), ready));
  g_object_class_install_property(
      object, PROP_QUEUE_BYTES,
      g_param_spec_uint64(
          "queue-bytes", "Queue bytes",
          "Bytes of the lines that are kept, which bound them as queue-size does. A "
          "longer line is left out",
          1, G_MAXINT64, defaults.limits.bytes, ready));
  g_object_class_install_property(
      object, PROP_DRAIN_TIMEOUT,
      g_param_spec_uint("drain-timeout", "Drain timeout",
                        "How long the end of the stream waits for lines to be published (s)", 0,
                        kMostDrainSeconds, defaults.drain_seconds, playing));
  g_object_class_install_property(
      object, kStats,
      g_param_spec_boxed("stats", "Statistics",
                         "Lines published (acknowledged by the broker), dropped, too long and "
                         "queued; bytes queued; reconnects; whether connected now",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace tandem
