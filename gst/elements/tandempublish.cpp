// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-tandempublish
 *
 * Publishes lines, one a buffer, to an MQTT topic or a Redis stream. The stream of buffers never
 * waits for the broker: while it is away, `queue-size` lines are kept. docs/publishing.md says what
 * is guaranteed.
 *
 * |[
 * gst-launch-1.0 filesrc location=people.mp4 ! decodebin ! videoconvert ! vividfilter !
 *   vividhistogram ! vividclassifier ! tandemmeta2json !
 *   tandempublish location=mqtt://localhost/people
 * ]|
 */
#include "gst/elements/tandempublish.h"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gst/publish/brokers.h"
#include "gst/publish/hostconnector.h"
#include "gst/publish/passwordfile.h"
#include "gst/publish/publisher.h"
#include "gst/util/ref.h"

GST_DEBUG_CATEGORY_STATIC(tandem_publish_debug);
#define GST_CAT_DEFAULT tandem_publish_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-json-lines"));

enum {
  PROP_0,
  PROP_LOCATION,
  PROP_PASSWORD_FILE,
  PROP_CA_FILE,
  PROP_CERTIFICATE_FILE,
  PROP_KEY_FILE,
  PROP_CLIENT_ID,
  PROP_QUEUE_SIZE,
  PROP_DRAIN_TIMEOUT,
  PROP_STATS
};

namespace {

constexpr guint kQueueLines = 10000, kMostQueueLines = 10'000'000;
constexpr guint kDrainSeconds = 5, kMostDrainSeconds = 3600;

struct Settings {
  std::string location, password_file, client_id;
  tandem::TlsFiles tls_files;
  guint queue_lines = kQueueLines, drain_seconds = kDrainSeconds;

  // The text of a property; null when it is none.
  std::string* text(guint property) {
    switch (property) {
      case PROP_LOCATION:
        return &location;
      case PROP_PASSWORD_FILE:
        return &password_file;
      case PROP_CA_FILE:
        return &tls_files.ca;
      case PROP_CERTIFICATE_FILE:
        return &tls_files.certificate;
      case PROP_KEY_FILE:
        return &tls_files.key;
      case PROP_CLIENT_ID:
        return &client_id;
      default:
        return nullptr;
    }
  }
};

}  // namespace

struct PublishPrivate {
  Settings settings;                             // under the object lock
  std::shared_ptr<tandem::Publisher> publisher;  // set and read under the object lock
  tandem::PublisherStats last_stats;             // under the object lock; of the last run
};

struct _GstTandemPublish {
  GstBaseSink parent;
  PublishPrivate* p;
};

G_DEFINE_TYPE_WITH_CODE(GstTandemPublish, gst_tandem_publish, GST_TYPE_BASE_SINK,
                        GST_DEBUG_CATEGORY_INIT(tandem_publish_debug, "tandempublish", 0,
                                                "publishes lines to a broker"))

namespace {

Settings settings_of(GstTandemPublish* self) {
  const tandem::ObjectLock lock(self);
  return self->p->settings;
}

std::shared_ptr<tandem::Publisher> publisher_of(GstTandemPublish* self) {
  const tandem::ObjectLock lock(self);
  return self->p->publisher;
}

tandem::Location location_of(const Settings& settings) {
  std::optional<std::string> password;
  if (!settings.password_file.empty())
    password = tandem::read_password_file(settings.password_file);
  tandem::Location location = tandem::parse_location(settings.location, password);
  location.tls_files = settings.tls_files;
  return location;
}

// On the publisher's thread. `where` is the location without the password.
void tell(GstTandemPublish* self, const std::string& where, const tandem::SessionNews& news) {
  using Kind = tandem::SessionNews::Kind;
  const auto lines = static_cast<unsigned long long>(news.lines);
  switch (news.kind) {
    case Kind::kConnected:
      GST_INFO_OBJECT(self, "connected to %s", where.c_str());
      return;
    case Kind::kLost:
      GST_ELEMENT_WARNING(
          self, RESOURCE, OPEN_WRITE, ("No connection to %s: %s.", where.c_str(), news.why.c_str()),
          ("The stream goes on. Up to %u lines are kept, and connecting is tried again.",
           settings_of(self).queue_lines));
      return;
    case Kind::kDropping:
      GST_ELEMENT_WARNING(
          self, RESOURCE, WRITE, ("Lines for %s are dropped, the oldest first.", where.c_str()),
          ("%u lines (queue-size) wait for the broker, which is away or slower than "
           "the stream.",
           settings_of(self).queue_lines));
      return;
    case Kind::kDropped:
      GST_ELEMENT_WARNING(self, RESOURCE, WRITE,
                          ("%llu lines for %s were dropped.", lines, where.c_str()),
                          ("The broker has acknowledged all newer ones."));
      return;
    case Kind::kFailed:
      GST_ELEMENT_ERROR(self, RESOURCE, WRITE,
                        ("Cannot publish to %s: %s%s", where.c_str(), news.why.c_str(),
                         news.why.ends_with('.') ? "" : "."),
                        ("Trying again would not help."));
      return;
  }
}

}  // namespace

static gboolean gst_tandem_publish_start(GstBaseSink* base) {
  auto* self = GST_TANDEM_PUBLISH(base);
  const Settings settings = settings_of(self);
  try {
    tandem::Location location = location_of(settings);
    const std::string missing = tandem::missing_support(location.protocol);
    if (!missing.empty()) {
      GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS, ("%s", missing.c_str()), (nullptr));
      return FALSE;
    }
    const std::string where = location.shown();
    auto publisher = std::make_shared<tandem::Publisher>(
        settings.queue_lines,
        std::make_unique<tandem::HostConnector>(std::move(location), settings.client_id),
        [self, where](const tandem::SessionNews& news) { tell(self, where, news); });
    const tandem::ObjectLock lock(self);
    self->p->publisher = std::move(publisher);
  } catch (const std::invalid_argument& e) {
    GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS,
                      ("The property 'location' does not say where to publish: %s.", e.what()),
                      (nullptr));
    return FALSE;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("Publishing cannot start: %s.", e.what()),
                      (nullptr));
    return FALSE;
  }
  return TRUE;
}

static gboolean gst_tandem_publish_stop(GstBaseSink* base) {
  auto* self = GST_TANDEM_PUBLISH(base);
  std::shared_ptr<tandem::Publisher> publisher;
  guint64 left = 0;
  {
    const tandem::ObjectLock lock(self);
    publisher = std::move(self->p->publisher);
    if (publisher) self->p->last_stats = publisher->stats();
    self->p->last_stats.connected = false;
    left = self->p->last_stats.lines.queued;
  }
  if (left > 0) {
    GST_WARNING_OBJECT(self, "stopped with %" G_GUINT64_FORMAT " lines that were not published",
                       left);
  }
  return TRUE;  // the publisher's thread ends with this reference, the last
}

static GstFlowReturn gst_tandem_publish_render(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = GST_TANDEM_PUBLISH(base);
  const std::shared_ptr<tandem::Publisher> publisher = publisher_of(self);
  if (!publisher) return GST_FLOW_FLUSHING;
  try {
    std::string line(gst_buffer_get_size(buffer), 0);
    gst_buffer_extract(buffer, 0, line.data(), line.size());
    if (line.ends_with('\n')) line.pop_back();
    // The error was posted when publishing failed.
    return publisher->publish(std::move(line)) ? GST_FLOW_OK : GST_FLOW_ERROR;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("A line cannot be kept: %s.", e.what()),
                      (nullptr));
    return GST_FLOW_ERROR;
  }
}

// At the end of the stream. Called with the preroll lock, as render() is. Whether the end may go
// on.
static bool drain(GstTandemPublish* self) {
  using Drained = tandem::Publisher::Drained;
  const std::shared_ptr<tandem::Publisher> publisher = publisher_of(self);
  if (!publisher) return true;
  const guint seconds = settings_of(self).drain_seconds;
  std::chrono::milliseconds left = std::chrono::seconds(seconds);
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    const Drained drained = publisher->drain(left);
    if (drained == Drained::kAll) return true;
    if (drained == Drained::kNotAll) break;
    left -= std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                  begin);
    // Somebody pauses, who waits for the lock that this releases; or seeks, or stops.
    if (gst_base_sink_wait_preroll(GST_BASE_SINK(self)) != GST_FLOW_OK) return false;
  }
  GST_ELEMENT_WARNING(self, RESOURCE, WRITE,
                      ("%llu lines were not published by the end of the stream.",
                       static_cast<unsigned long long>(publisher->stats().lines.queued)),
                      ("The end waited for as long as drain-timeout says (%u s).", seconds));
  return true;
}

static gboolean gst_tandem_publish_event(GstBaseSink* base, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && !drain(GST_TANDEM_PUBLISH(base))) {
    gst_event_unref(event);
    return FALSE;
  }
  return GST_BASE_SINK_CLASS(gst_tandem_publish_parent_class)->event(base, event);
}

// Before and after somebody takes the preroll lock to pause, to flush or to stop.
static gboolean gst_tandem_publish_unlock(GstBaseSink* base) {
  const auto publisher = publisher_of(GST_TANDEM_PUBLISH(base));
  if (publisher) publisher->interrupt();
  return TRUE;
}

static gboolean gst_tandem_publish_unlock_stop(GstBaseSink* base) {
  const auto publisher = publisher_of(GST_TANDEM_PUBLISH(base));
  if (publisher) publisher->interrupt(false);
  return TRUE;
}

static GstStructure* stats_of(GstTandemPublish* self) {
  tandem::PublisherStats stats;
  {
    const tandem::ObjectLock lock(self);
    stats = self->p->publisher ? self->p->publisher->stats() : self->p->last_stats;
  }
  return gst_structure_new(
      "tandem-publish-stats", "published", G_TYPE_UINT64, guint64{stats.lines.published}, "dropped",
      G_TYPE_UINT64, guint64{stats.lines.dropped}, "queued", G_TYPE_UINT64,
      guint64{stats.lines.queued}, "reconnects", G_TYPE_UINT64, guint64{stats.reconnects},
      "connected", G_TYPE_BOOLEAN, gboolean{stats.connected}, nullptr);
}

static void gst_tandem_publish_set_property(GObject* object, guint id, const GValue* value,
                                            GParamSpec* spec) {
  const tandem::ObjectLock lock(object);
  Settings& settings = GST_TANDEM_PUBLISH(object)->p->settings;
  if (std::string* text = settings.text(id)) {
    const gchar* given = g_value_get_string(value);
    *text = given ? given : "";
    return;
  }
  switch (id) {
    case PROP_QUEUE_SIZE:
      settings.queue_lines = g_value_get_uint(value);
      break;
    case PROP_DRAIN_TIMEOUT:
      settings.drain_seconds = g_value_get_uint(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_tandem_publish_get_property(GObject* object, guint id, GValue* value,
                                            GParamSpec* spec) {
  auto* self = GST_TANDEM_PUBLISH(object);
  Settings settings = settings_of(self);
  if (const std::string* text = settings.text(id)) {
    const bool masked = id == PROP_LOCATION;
    g_value_set_string(value, masked ? tandem::without_password(*text).c_str() : text->c_str());
    return;
  }
  switch (id) {
    case PROP_QUEUE_SIZE:
      g_value_set_uint(value, settings.queue_lines);
      break;
    case PROP_DRAIN_TIMEOUT:
      g_value_set_uint(value, settings.drain_seconds);
      break;
    case PROP_STATS:
      g_value_take_boxed(value, stats_of(self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

static void gst_tandem_publish_finalize(GObject* object) {
  delete GST_TANDEM_PUBLISH(object)->p;
  G_OBJECT_CLASS(gst_tandem_publish_parent_class)->finalize(object);
}

static void install_properties(GObjectClass* object) {
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
                        1, kMostQueueLines, kQueueLines, ready));
  g_object_class_install_property(
      object, PROP_DRAIN_TIMEOUT,
      g_param_spec_uint("drain-timeout", "Drain timeout",
                        "How long the end of the stream waits for lines to be published (s)", 0,
                        kMostDrainSeconds, kDrainSeconds, playing));
  g_object_class_install_property(
      object, PROP_STATS,
      g_param_spec_boxed("stats", "Statistics",
                         "Lines published (acknowledged by the broker), dropped and queued; "
                         "reconnects; whether connected now",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

static void gst_tandem_publish_class_init(GstTandemPublishClass* klass) {
  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->set_property = gst_tandem_publish_set_property;
  object->get_property = gst_tandem_publish_get_property;
  object->finalize = gst_tandem_publish_finalize;
  install_properties(object);

  GstElementClass* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_add_static_pad_template(element, &sink_template);
  gst_element_class_set_static_metadata(
      element, "Tandem publisher", "Sink/Network",
      "Publishes lines of JSON to an MQTT topic or a Redis stream", "The Tandem authors");

  GstBaseSinkClass* base = GST_BASE_SINK_CLASS(klass);
  base->start = gst_tandem_publish_start;
  base->stop = gst_tandem_publish_stop;
  base->render = gst_tandem_publish_render;
  base->event = gst_tandem_publish_event;
  base->unlock = gst_tandem_publish_unlock;
  base->unlock_stop = gst_tandem_publish_unlock_stop;
}

static void gst_tandem_publish_init(GstTandemPublish* self) {
  self->p = new PublishPrivate;
  gst_base_sink_set_sync(GST_BASE_SINK(self), FALSE);  // results go out when they are there
}
