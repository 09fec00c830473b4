// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Files of trained models, little endian. They hold a magic of 12 bytes, a version, a header of
/// sizes, the data of these sizes, and a 64-bit FNV-1a checksum of everything before it.
namespace tandem {

struct ModelFormat {
  std::string_view magic;  ///< 12 bytes
  uint32_t version;
  const char* what;  ///< "a Tandem person model (made by tandem train-detector)"
};

/// A longer text in a model is damage, not text.
inline constexpr uint32_t kMostModelText = 1 << 16;

/// A longer file is not read, and a longer model not written.
inline constexpr std::size_t kMostModelBytes = 256u << 20;

/// Throws std::runtime_error: "model file 'PATH' WHAT".
[[noreturn]] void fail_model(const std::string& path, const std::string& what);

class ModelWriter {
 public:
  explicit ModelWriter(const ModelFormat& format);

  template <typename T>
  void value(T v) {
    bytes(&v, sizeof v);
  }
  void floats(std::span<const float> values) { bytes(values.data(), values.size_bytes()); }
  void text(const std::string& s) { bytes(s.data(), s.size()); }
  /// Adds the checksum and writes the file; throws std::runtime_error that names it, also when it
  /// would be longer than kMostModelBytes.
  void save(const std::string& path);

 private:
  void bytes(const void* data, std::size_t size);
  std::vector<char> bytes_;
};

/// Takes values out in order. Once check_size() has passed, there are as many as were announced.
class ModelReader {
 public:
  /// Reads the file and checks its magic, that `header_bytes` follow the version, and the version;
  /// throws std::runtime_error that names the file and says what to do.
  ModelReader(const std::string& path, const ModelFormat& format, std::size_t header_bytes);

  /// The header says that `bytes` follow it: checks that, and the checksum.
  void check_size(std::size_t bytes) const;

  template <typename T>
  T value() {
    T v;
    take(&v, sizeof v);
    return v;
  }
  /// Throws when one is not finite.
  std::vector<float> floats(std::size_t count);
  float finite() { return floats(1)[0]; }
  /// Throws, naming `what` ("a label"), when it is not UTF-8.
  std::string text(std::size_t size, const char* what);

  [[noreturn]] void fail(const std::string& what) const { fail_model(path_, what); }

 private:
  void take(void* to, std::size_t size);
  const std::string path_;
  std::string file_;
  std::size_t at_ = 0, body_ = 0;  // where the body begins
};

}  // namespace tandem
