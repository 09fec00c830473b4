// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-tandempublish
 *
 * Publishes lines, one a buffer, to an MQTT topic or a Redis stream. The stream of buffers never
 * waits for the broker: while it is away, lines are kept within `queue-size` and `queue-bytes`.
 * docs/publishing.md says what is guaranteed.
 *
 * |[
 * gst-launch-1.0 filesrc location=people.mp4 ! decodebin ! videoconvert ! vividfilter !
 *   vividhistogram ! vividclassifier ! tandemmeta2json !
 *   tandempublish location=mqtt://localhost/people
 * ]|
 */
#include <gst/base/gstbasesink.h>
#include <gst/tandem/private/ref.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "files/terminal_text.h"
#include "gst/elements/elements.h"
#include "gst/publish/brokers.h"
#include "gst/publish/hostconnector.h"
#include "gst/publish/location.h"
#include "gst/publish/publisher.h"
#include "gst/publish/publishproperties.h"

GST_DEBUG_CATEGORY_STATIC(tandem_publish_debug);
#define GST_CAT_DEFAULT tandem_publish_debug

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-json-lines"));

G_DECLARE_FINAL_TYPE(GstTandemPublish, gst_tandem_publish, GST, TANDEM_PUBLISH, GstBaseSink)

struct PublishPrivate {
  tandem::PublishSettings settings;                  // under the object lock
  std::shared_ptr<tandem::Publisher> publisher;      // set and read under the object lock
  tandem::PublisherStats last_stats;                 // under the object lock; of the last run
  std::string where;                                 // set by start(), without the password
  std::size_t longest_line = 0;                      // bytes; set by start()
  std::atomic<uint64_t> drops_told{0}, too_long{0};  // lines of this run
};

struct _GstTandemPublish {
  GstBaseSink parent;
  PublishPrivate* p;
};

G_DEFINE_TYPE_WITH_CODE(GstTandemPublish, gst_tandem_publish, GST_TYPE_BASE_SINK,
                        GST_DEBUG_CATEGORY_INIT(tandem_publish_debug, "tandempublish", 0,
                                                "publishes lines to a broker"))

namespace {

// Ids of properties.
constexpr guint kLocation = 1, kStats = std::size(tandem::kPublishProperties) + 1;

constexpr std::size_t kFrameWithin = 1024;  // bytes of a line, which begins with source and frame

// As the line has it; empty: it has none.
std::string frame_of(std::string_view line) {
  constexpr std::string_view kKey = "\"frame\":";
  line = line.substr(0, kFrameWithin);
  const std::size_t at = line.find(kKey);
  if (at == line.npos) return {};
  line.remove_prefix(at + kKey.size());
  const std::size_t end = line.find_first_not_of("0123456789");
  return std::string(line.substr(0, end));
}

tandem::PublishSettings settings_of(GstTandemPublish* self) {
  const tandem::ObjectLock lock(self);
  return self->p->settings;
}

std::shared_ptr<tandem::Publisher> publisher_of(GstTandemPublish* self) {
  const tandem::ObjectLock lock(self);
  return self->p->publisher;
}

tandem::Location location_of(const tandem::PublishSettings& settings) {
  std::optional<std::string> password;
  if (!settings.password_file.empty())
    password = tandem::read_password_file(settings.password_file);
  tandem::Location location = tandem::parse_location(settings.location, password);
  location.tls_files = {settings.ca_file, settings.certificate_file, settings.key_file};
  return location;
}

std::string kept_by(const tandem::PublishSettings& settings) {
  return std::to_string(settings.queue_size) + " lines (queue-size) or " +
         std::to_string(settings.queue_bytes) + " bytes (queue-bytes)";
}

// Once for all lines that were dropped so far. On either thread.
void tell_drops(GstTandemPublish* self, const std::string& where, uint64_t dropped) {
  uint64_t told = self->p->drops_told;
  while (told < dropped && !self->p->drops_told.compare_exchange_weak(told, dropped)) {
  }
  if (told >= dropped) return;
  GST_ELEMENT_WARNING(
      self, RESOURCE, WRITE,
      ("%" G_GUINT64_FORMAT " lines for %s were dropped.", guint64{dropped - told}, where.c_str()),
      ("The queue was full. Its limits are %s.", kept_by(settings_of(self)).c_str()));
}

// `text` is the line's, or how it begins. On either thread.
void tell_too_long(GstTandemPublish* self, const std::string& where, std::string_view text,
                   std::size_t bytes, const std::string& why) {
  const uint64_t count = ++self->p->too_long;
  const std::string frame = frame_of(text);
  const std::string message = "A line of " + std::to_string(bytes) + " bytes" +
                              (frame.empty() ? "" : ", of frame " + frame + ",") + " for " + where +
                              " was skipped: " + tandem::terminal_text(why) + ".";
  // All lines of a stream may be too long.
  if (!std::has_single_bit(count)) {
    GST_WARNING_OBJECT(self, "%s", message.c_str());
    return;
  }
  GST_ELEMENT_WARNING(self, RESOURCE, WRITE, ("%s", message.c_str()),
                      ("The stream continues. Lines skipped so far: %" G_GUINT64_FORMAT
                       " (too-long in stats). The next message comes when there are twice as many.",
                       guint64{count}));
}

// On the publisher's thread. `where` is the location without the password.
void tell(GstTandemPublish* self, const std::string& where, const tandem::SessionNews& news) {
  using Kind = tandem::SessionNews::Kind;
  const std::string why = tandem::terminal_text(news.why);
  switch (news.kind) {
    case Kind::kConnected:
      GST_INFO_OBJECT(self, "connected to %s", where.c_str());
      return;
    case Kind::kLost:
      GST_ELEMENT_WARNING(self, RESOURCE, OPEN_WRITE,
                          ("No connection to %s: %s.", where.c_str(), why.c_str()),
                          ("The stream continues and retries the connection. Up to %s wait for it.",
                           kept_by(settings_of(self)).c_str()));
      return;
    case Kind::kDropping:
      GST_ELEMENT_WARNING(
          self, RESOURCE, WRITE, ("Lines for %s are dropped, the oldest first.", where.c_str()),
          ("%s wait for the broker, which is unreachable or slower than the stream. The number of "
           "dropped lines is in stats, and a message reports it when the queue is empty.",
           kept_by(settings_of(self)).c_str()));
      return;
    case Kind::kDropped:
      tell_drops(self, where, news.dropped);
      return;
    case Kind::kTooLong:
      tell_too_long(self, where, *news.line, news.line->size(), news.why);
      return;
    case Kind::kFailed:
      GST_ELEMENT_ERROR(
          self, RESOURCE, WRITE,
          ("Cannot publish to %s: %s%s", where.c_str(), why.c_str(), why.ends_with('.') ? "" : "."),
          ("A retry would fail for the same reason: correct it, and start the pipeline again."));
      return;
  }
}

// Warns of files with secrets that others may read.
void tell_exposed(GstTandemPublish* self, const tandem::PublishSettings& settings) {
  for (const std::string& file :
       {settings.password_file,
        settings.key_file.empty() ? settings.certificate_file : settings.key_file}) {
    const std::string exposure = file.empty() ? "" : tandem::exposure_of(file);
    if (exposure.empty()) continue;
    GST_ELEMENT_WARNING(self, RESOURCE, SETTINGS,
                        ("%s", tandem::terminal_text(exposure, 8192).c_str()),
                        ("The file holds a secret that only its owner should read."));
  }
}

}  // namespace

static gboolean gst_tandem_publish_start(GstBaseSink* base) {
  auto* self = GST_TANDEM_PUBLISH(base);
  const tandem::PublishSettings settings = settings_of(self);
  try {
    tandem::Location location = location_of(settings);
    const tandem::BrokerProtocol& protocol = tandem::protocol_of(location);
    std::string refusal = protocol.missing;
    if (refusal.empty()) refusal = protocol.refusal(location, settings.client_id);
    if (!refusal.empty()) {
      GST_ELEMENT_ERROR(self, RESOURCE, SETTINGS, ("%s", refusal.c_str()), (nullptr));
      return FALSE;
    }
    tell_exposed(self, settings);
    const std::string where = tandem::terminal_text(location.shown());
    self->p->where = where;
    self->p->longest_line =
        std::min<std::size_t>(settings.queue_bytes, protocol.longest_line(location));
    self->p->drops_told = self->p->too_long = 0;
    auto publisher = std::make_shared<tandem::Publisher>(
        tandem::OutboxLimits{settings.queue_size, settings.queue_bytes},
        std::make_unique<tandem::HostConnector>(std::move(location), settings.client_id),
        [self, where](const tandem::SessionNews& news) { tell(self, where, news); });
    const tandem::ObjectLock lock(self);
    self->p->publisher = std::move(publisher);
  } catch (const std::invalid_argument& e) {
    GST_ELEMENT_ERROR(
        self, RESOURCE, SETTINGS,
        ("The property 'location' is invalid: %s.", tandem::terminal_text(e.what()).c_str()),
        (nullptr));
    return FALSE;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(self, RESOURCE, FAILED,
                      ("Publishing cannot start: %s.", tandem::terminal_text(e.what()).c_str()),
                      (nullptr));
    return FALSE;
  }
  return TRUE;
}

static gboolean gst_tandem_publish_stop(GstBaseSink* base) {
  auto* self = GST_TANDEM_PUBLISH(base);
  std::shared_ptr<tandem::Publisher> publisher;
  guint64 left = 0, dropped = 0;
  {
    const tandem::ObjectLock lock(self);
    publisher = std::move(self->p->publisher);
    if (publisher) self->p->last_stats = publisher->stats();
    self->p->last_stats.connected = false;
    left = self->p->last_stats.lines.queued;
    dropped = self->p->last_stats.lines.dropped;
  }
  if (left > 0 || dropped > self->p->drops_told) {
    GST_WARNING_OBJECT(self,
                       "stopped with %" G_GUINT64_FORMAT
                       " lines that were not published; %" G_GUINT64_FORMAT " were dropped before",
                       left, dropped);
  }
  return TRUE;  // the publisher's thread ends with this reference, the last
}

// Without the newline.
static std::size_t line_size(GstBuffer* buffer) {
  const std::size_t size = gst_buffer_get_size(buffer);
  char last = 0;
  if (size > 0) gst_buffer_extract(buffer, size - 1, &last, 1);
  return last == '\n' ? size - 1 : size;
}

static void leave_out(GstTandemPublish* self, tandem::Publisher& publisher, GstBuffer* buffer,
                      std::size_t size) {
  publisher.leave_out();
  const PublishPrivate& p = *self->p;
  std::string begin(std::min(size, kFrameWithin), 0);
  gst_buffer_extract(buffer, 0, begin.data(), begin.size());
  const bool by_queue = p.longest_line == settings_of(self).queue_bytes;
  tell_too_long(self, p.where, begin, size,
                "the limit is " + std::to_string(p.longest_line) + " bytes, " +
                    (by_queue ? "set by queue-bytes" : "set by the protocol"));
}

static GstFlowReturn gst_tandem_publish_render(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = GST_TANDEM_PUBLISH(base);
  const std::shared_ptr<tandem::Publisher> publisher = publisher_of(self);
  if (!publisher) return GST_FLOW_FLUSHING;
  try {
    const std::size_t size = line_size(buffer);
    if (size > self->p->longest_line) {
      leave_out(self, *publisher, buffer, size);
      return GST_FLOW_OK;
    }
    std::string line(size, 0);
    gst_buffer_extract(buffer, 0, line.data(), line.size());
    // The error was posted when publishing failed.
    return publisher->publish(std::move(line)) ? GST_FLOW_OK : GST_FLOW_ERROR;
  } catch (const std::exception& e) {
    GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT, ("A line cannot be queued: %s.", e.what()),
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
  const guint seconds = settings_of(self).drain_timeout_s;
  std::chrono::milliseconds left = std::chrono::seconds(seconds);
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    const Drained drained = publisher->drain(left);
    if (drained == Drained::kAll) {
      tell_drops(self, self->p->where, publisher->stats().lines.dropped);
      return true;
    }
    if (drained == Drained::kNotAll) break;
    left -= std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                  begin);
    // A pause, a seek or a stop waits for the lock that this releases.
    if (gst_base_sink_wait_preroll(GST_BASE_SINK(self)) != GST_FLOW_OK) return false;
  }
  GST_ELEMENT_WARNING(self, RESOURCE, WRITE,
                      ("%llu lines were not published by the end of the stream.",
                       static_cast<unsigned long long>(publisher->stats().lines.queued)),
                      ("The end of the stream waited for drain-timeout (%u s).", seconds));
  tell_drops(self, self->p->where, publisher->stats().lines.dropped);
  return true;
}

static gboolean gst_tandem_publish_event(GstBaseSink* base, GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS && !drain(GST_TANDEM_PUBLISH(base))) {
    gst_event_unref(event);
    return FALSE;
  }
  return GST_BASE_SINK_CLASS(gst_tandem_publish_parent_class)->event(base, event);
}

// Before and after a pause, a flush or a stop takes the preroll lock.
template <bool kInterrupted>
static gboolean gst_tandem_publish_interrupt(GstBaseSink* base) {
  const auto publisher = publisher_of(GST_TANDEM_PUBLISH(base));
  if (publisher) publisher->interrupt(kInterrupted);
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
      G_TYPE_UINT64, guint64{stats.lines.dropped}, "too-long", G_TYPE_UINT64,
      guint64{stats.lines.too_long}, "queued", G_TYPE_UINT64, guint64{stats.lines.queued},
      "queued-bytes", G_TYPE_UINT64, guint64{stats.lines.bytes}, "reconnects", G_TYPE_UINT64,
      guint64{stats.reconnects}, "connected", G_TYPE_BOOLEAN, gboolean{stats.connected}, nullptr);
}

static tandem::PublishSettings& settings_in(GObject* object) {
  return GST_TANDEM_PUBLISH(object)->p->settings;
}

// The location is returned without its password.
static void gst_tandem_publish_get_property(GObject* object, guint id, GValue* value, GParamSpec*) {
  auto* self = GST_TANDEM_PUBLISH(object);
  if (id == kStats) return g_value_take_boxed(value, stats_of(self));
  get_member(tandem::kPublishProperties[id - 1], settings_of(self), value);
  if (id == kLocation)
    g_value_set_string(value, tandem::without_password(g_value_get_string(value)).c_str());
}

static void gst_tandem_publish_finalize(GObject* object) {
  delete GST_TANDEM_PUBLISH(object)->p;
  G_OBJECT_CLASS(gst_tandem_publish_parent_class)->finalize(object);
}

static void gst_tandem_publish_class_init(GstTandemPublishClass* klass) {
  GObjectClass* object = G_OBJECT_CLASS(klass);
  object->finalize = gst_tandem_publish_finalize;
  tandem::install_properties<tandem::kPublishProperties, settings_in>(object);
  object->get_property = gst_tandem_publish_get_property;
  g_object_class_install_property(
      object, kStats,
      g_param_spec_boxed("stats", "Statistics",
                         "Lines published (acknowledged by the broker), dropped, too long and "
                         "queued; bytes queued; reconnects; whether connected now",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));

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
  base->unlock = gst_tandem_publish_interrupt<true>;
  base->unlock_stop = gst_tandem_publish_interrupt<false>;
}

static void gst_tandem_publish_init(GstTandemPublish* self) {
  self->p = new PublishPrivate;
  gst_base_sink_set_sync(GST_BASE_SINK(self), FALSE);  // results are sent at once
}
