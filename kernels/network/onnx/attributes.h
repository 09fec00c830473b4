// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::network::reader {

/// The attributes of a node. Reading one of another type throws Problem.
class Attributes {
 public:
  explicit Attributes(const ::onnx::NodeProto& node);

  bool has(std::string_view name) const { return all_.contains(name); }
  int64_t integer(std::string_view name, int64_t otherwise);
  /// Finite.
  float number(std::string_view name, float otherwise);
  std::string text(std::string_view name, std::string_view otherwise);
  std::optional<std::vector<int64_t>> integers(std::string_view name);
  std::optional<std::vector<float>> numbers(std::string_view name);
  /// Null: not there.
  const ::onnx::TensorProto* tensor(std::string_view name);
  /// An attribute that changes nothing here.
  void ignore(std::string_view name);
  /// Throws Problem that names an attribute which nothing has read: it may change the result.
  void check_all_read() const;

 private:
  using Proto = ::onnx::AttributeProto;
  const Proto* find(std::string_view name, Proto::AttributeType type);

  struct Entry {
    const Proto* proto;
    bool read;
  };
  std::map<std::string_view, Entry> all_;
};

}  // namespace tandem::network::reader
