// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/network/sharednetwork.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "gst/elements/network/networkmodel.h"
#include "kernels/network/onnx/problem.h"

namespace tandem {
namespace {

/// Values that live as long as they have users. A second user of a value waits while the first
/// one makes it; users of other values do not.
///
/// mutex_ is a leaf: it is not held while a value is made.
template <class Key, class Value>
class InUse {
 public:
  template <class Make>
  std::shared_ptr<const Value> of(const Key& key, Make&& make) {
    const std::shared_ptr<Entry> entry = entry_of(key);
    const std::lock_guard lock(entry->mutex);
    std::shared_ptr<const Value> value = entry->value.lock();
    if (!value) entry->value = value = make();
    return value;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::weak_ptr<const Value> value;
  };

  std::shared_ptr<Entry> entry_of(const Key& key) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [](const auto& each) {
      Entry& entry = *each.second;
      const std::unique_lock unused(entry.mutex, std::try_to_lock);
      return each.second.use_count() == 1 && unused && entry.value.expired();
    });
    std::shared_ptr<Entry>& entry = entries_[key];
    if (!entry) entry = std::make_shared<Entry>();
    return entry;
  }

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
};

/// Most pixels a side of a network's input: those of the largest videos.
constexpr int64_t kMostInputSide = 8192;

bool is_image(const network::Shape& sides) {
  const auto is_side = [](int64_t side) { return side >= 1 && side <= kMostInputSide; };
  return sides.size() == 4 && sides[0] == 1 && (sides[1] == 1 || sides[1] == 3) &&
         is_side(sides[2]) && is_side(sides[3]);
}

/// The reason why the elements cannot compute the network; empty: they can.
std::string problem_of(const network::Network& network) {
  if (network.inputs.size() != 1)
    return "it has " + std::to_string(network.inputs.size()) +
           " inputs; export it with one, an image";
  if (network.outputs.size() > kMostOutputs)
    return "it has " + std::to_string(network.outputs.size()) +
           " outputs; export it with at most " + std::to_string(kMostOutputs);
  const network::Shape& sides = network.of(network.inputs[0]).shape;
  if (is_image(sides)) return {};
  return "its input is " + network::reader::text_of(sides) +
         "; export it with a static input of 1 x channels x height x width, and 1 or 3 channels";
}

}  // namespace

std::shared_ptr<const network::Network> shared_network(const std::string& path,
                                                       const std::string& element) {
  if (path.empty())
    throw std::runtime_error(element + " has no network: set its property model to an ONNX file");
  static InUse<FileVersion, network::Network> networks;
  return networks.of(version_of(path), [&] {
    auto network = std::make_shared<const network::Network>(network::read_network(path));
    if (const std::string problem = problem_of(*network); !problem.empty())
      throw std::runtime_error("network " + network::reader::in_quotes(path) + ": " + problem);
    return network;
  });
}

// A path in place of the network would be read again: the file may be another one by then. Values
// keep their network, so that its address is not another one's meanwhile.
std::shared_ptr<const network::NetworkCpu> network_on_cpu(
    const std::shared_ptr<const network::Network>& network) {
  static InUse<const network::Network*, network::NetworkCpu> networks;
  return networks.of(network.get(),
                     [&] { return std::make_shared<const network::NetworkCpu>(network); });
}

std::shared_ptr<const network::NetworkOpenCL> network_on_device(
    const std::shared_ptr<const network::Network>& network,
    const std::shared_ptr<opencl::Context>& context) {
  // A user of a network keeps the context, so that no other context gets its address meanwhile.
  static InUse<std::tuple<const network::Network*, const opencl::Context*>, network::NetworkOpenCL>
      networks;
  return networks.of({network.get(), context.get()}, [&] {
    return std::make_shared<const network::NetworkOpenCL>(*context, network);
  });
}

}  // namespace tandem
