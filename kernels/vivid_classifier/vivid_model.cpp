// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/vivid_model.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

// Layout, little endian:
//   "TANDEMVIVID\0"                            12 bytes
//   u32 version, filters, blocks of a window, bytes of the label, bytes of the origin
//   f32 default threshold, bias, epsilon
//   label, origin                              not terminated
//   f32 9 * filters filter coefficients, 4 * blocks * filters SVM weights
//   u64 FNV-1a of everything above
namespace tandem {
namespace {

constexpr std::string_view kMagic("TANDEMVIVID\0", 12);
constexpr uint32_t kVersion = 1;
constexpr uint32_t kMostText = 1 << 16;  // a longer label or origin is damage, not text
constexpr std::size_t kHeaderBytes = kMagic.size() + 5 * 4 + 3 * 4;
constexpr std::size_t kChecksumBytes = 8;

static_assert(std::endian::native == std::endian::little,
              "values are copied between memory and file as they are");

uint64_t fnv1a(std::span<const char> bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<uint8_t>(byte);
    hash *= 0x100000001b3;
  }
  return hash;
}

std::size_t weight_count(std::size_t filters) { return filters * VividWindow::kBlocks * 4; }

class Writer {
 public:
  template <typename T>
  void value(T v) {
    bytes(&v, sizeof v);
  }
  void bytes(const void* data, std::size_t size) {
    const char* from = static_cast<const char*>(data);
    out.insert(out.end(), from, from + size);
  }
  std::vector<char> out;
};

class Reader {
 public:
  explicit Reader(const std::vector<char>& file) : file_(file) {}
  template <typename T>
  T value() {
    T v;
    bytes(&v, sizeof v);
    return v;
  }
  void bytes(void* to, std::size_t size) {
    std::memcpy(to, file_.data() + at_, size);
    at_ += size;
  }
  std::string text(std::size_t size) {
    std::string s(size, '\0');
    bytes(s.data(), size);
    return s;
  }

 private:
  const std::vector<char>& file_;
  std::size_t at_ = kMagic.size();
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error("model file '" + path + "' " + what);
}

std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::string("cannot be opened: ") + std::strerror(errno));
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || bytes.empty()) fail(path, "cannot be read or is empty");
  return bytes;
}

bool all_finite(std::span<const float> values) {
  for (const float v : values)
    if (!std::isfinite(v)) return false;
  return true;
}

void check_finite(const VividModel& model, const std::string& path) {
  const float single[] = {model.default_threshold, model.svm.bias, model.svm.epsilon};
  if (!all_finite(single) || !all_finite(model.bank.coefficients) || !all_finite(model.svm.weights))
    fail(path, "holds values that are not finite numbers; train it again");
  if (model.svm.epsilon <= 0) fail(path, "has an epsilon that is not positive; train it again");
}

}  // namespace

VividModel load_vivid_model(const std::string& path) {
  const std::vector<char> file = read_file(path);
  if (std::memcmp(file.data(), kMagic.data(), std::min(file.size(), kMagic.size())) != 0)
    fail(path, "is not a Tandem person model (made by tandem train-detector)");
  if (file.size() < kHeaderBytes + kChecksumBytes) fail(path, "is cut short; copy it again");

  Reader in(file);
  const auto version = in.value<uint32_t>();
  if (version != kVersion)
    fail(path, "has version " + std::to_string(version) + ", this program reads version " +
                   std::to_string(kVersion) + "; train it again or update");
  const auto filters = in.value<uint32_t>();
  const auto blocks = in.value<uint32_t>();
  const auto label_bytes = in.value<uint32_t>();
  const auto origin_bytes = in.value<uint32_t>();
  if (filters < 1 || filters > 255 || blocks != VividWindow::kBlocks || label_bytes > kMostText ||
      origin_bytes > kMostText)
    fail(path, "has impossible sizes in its header: it is damaged, copy it again");

  const std::size_t size = kHeaderBytes + label_bytes + origin_bytes +
                           4 * (9 * filters + weight_count(filters)) + kChecksumBytes;
  if (file.size() < size)
    fail(path, "is cut short: " + std::to_string(file.size()) + " of " + std::to_string(size) +
                   " bytes; copy it again");
  if (file.size() > size) fail(path, "has bytes after its end: it is damaged, copy it again");
  uint64_t checksum;
  std::memcpy(&checksum, file.data() + size - kChecksumBytes, kChecksumBytes);
  if (checksum != fnv1a(std::span(file).first(size - kChecksumBytes)))
    fail(path, "is damaged: its checksum is wrong; copy it again");

  VividModel model;
  model.default_threshold = in.value<float>();
  model.svm.bias = in.value<float>();
  model.svm.epsilon = in.value<float>();
  model.label = in.text(label_bytes);
  model.origin = in.text(origin_bytes);
  model.bank.count = model.svm.filters = static_cast<int>(filters);
  model.bank.coefficients.resize(9 * filters);
  in.bytes(model.bank.coefficients.data(), 4 * model.bank.coefficients.size());
  model.svm.weights.resize(weight_count(filters));
  in.bytes(model.svm.weights.data(), 4 * model.svm.weights.size());
  check_finite(model, path);
  return model;
}

void save_vivid_model(const VividModel& model, const std::string& path) {
  const auto filters = static_cast<std::size_t>(model.bank.count);
  if (filters < 1 || filters > 255 || model.svm.filters != model.bank.count ||
      model.bank.coefficients.size() != 9 * filters ||
      model.svm.weights.size() != weight_count(filters))
    fail(path, "was not written: the filter bank and the SVM do not belong together");
  if (model.label.size() > kMostText || model.origin.size() > kMostText)
    fail(path, "was not written: its label or origin is too long");

  Writer out;
  out.bytes(kMagic.data(), kMagic.size());
  out.value(kVersion);
  out.value(static_cast<uint32_t>(filters));
  out.value(static_cast<uint32_t>(VividWindow::kBlocks));
  out.value(static_cast<uint32_t>(model.label.size()));
  out.value(static_cast<uint32_t>(model.origin.size()));
  out.value(model.default_threshold);
  out.value(model.svm.bias);
  out.value(model.svm.epsilon);
  out.bytes(model.label.data(), model.label.size());
  out.bytes(model.origin.data(), model.origin.size());
  out.bytes(model.bank.coefficients.data(), 4 * model.bank.coefficients.size());
  out.bytes(model.svm.weights.data(), 4 * model.svm.weights.size());
  out.value(fnv1a(out.out));

  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(out.out.data(), static_cast<std::streamsize>(out.out.size()));
  file.close();
  if (!file) fail(path, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace tandem
