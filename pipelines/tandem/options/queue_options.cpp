// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/options/queue_options.h"

#include <glib.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>

#include "gst/publish/location.h"
#include "pipelines/formatted.h"

namespace tandem {
namespace {

constexpr char kQueueVariable[] = "TANDEM_QUEUE", kCaVariable[] = "TANDEM_QUEUE_CA";

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

}  // namespace

void QueueOptions::add_to(OptionParser& parser) {
  parser.add("queue", queue_, "URI",
             "redis[s]://[[user]:password@]host[:port]/queue (default: $TANDEM_QUEUE, which other "
             "users of the machine cannot see)");
  parser.add("ca", ca_file_, "FILE",
             "rediss: certificates of trusted authorities, as PEM (default: $TANDEM_QUEUE_CA, "
             "else those of the system)");
}

RedisSettings QueueOptions::settings(std::string name) const {
  const std::string queue = queue_.empty() ? from_environment(kQueueVariable) : queue_;
  if (queue.empty())
    throw UsageError(
        "no queue is given: use --queue, or set TANDEM_QUEUE, as in: "
        "TANDEM_QUEUE=redis://localhost/people");
  try {
    return {parse_queue_location(queue),
            ca_file_.empty() ? from_environment(kCaVariable) : ca_file_, std::move(name)};
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string("--queue: ") + e.what());
  }
}

std::string process_name() {
  std::string host = g_get_host_name();
  for (char& c : host) {
    if (static_cast<unsigned char>(c) <= ' ') c = '-';  // CLIENT SETNAME takes no spaces
  }
  return host + formatted("-%d-%04x", getpid(), std::random_device()() & 0xffffU);
}

}  // namespace tandem
