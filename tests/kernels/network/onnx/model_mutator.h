// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <onnx/onnx_pb.h>

#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tandem::network::test {

/// Models like those of a corpus with a few fields changed, or a few bytes. The same seed makes the
/// same models.
class ModelMutator {
 public:
  ModelMutator(std::vector<std::string> corpus, unsigned seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  /// The bytes of a model.
  std::string make() {
    std::string bytes = corpus_[below(corpus_.size())];
    if (below(4) == 0) {
      damage(bytes);
      return bytes;
    }
    ::onnx::ModelProto model;
    model.ParseFromString(bytes);
    for (std::size_t n = 1 + below(3); n > 0; --n) change(model);
    model.SerializeToString(&bytes);
    return bytes;
  }

 private:
  using Message = google::protobuf::Message;
  using Field = google::protobuf::FieldDescriptor;

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void damage(std::string& bytes) {
    for (std::size_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
      const std::size_t at = below(bytes.size());
      switch (below(5)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
          break;
        case 1:
          bytes[at] = static_cast<char>(below(256));
          break;
        case 2:
          bytes.erase(at, 1 + below(20));
          break;
        case 3:
          bytes.insert(below(bytes.size()), bytes.substr(at, 1 + below(60)));
          break;
        default:
          bytes.resize(at);
      }
    }
  }

  // A field that is set somewhere in the model, or one that is not.
  void change(::onnx::ModelProto& model) {
    fields_.clear();
    names_.clear();
    collect(*model.mutable_graph());
    if (below(20) == 0) collect(model);
    if (fields_.empty()) return;
    const auto [message, field] = fields_[below(fields_.size())];
    if (field->is_repeated())
      change_list(*message, *field);
    else
      change_value(*message, *field);
  }

  void collect(Message& message) {
    const auto& reflection = *message.GetReflection();
    const auto& descriptor = *message.GetDescriptor();
    for (int f = 0; f < descriptor.field_count(); ++f) {
      const Field* const field = descriptor.field(f);
      const bool set = field->is_repeated() ? reflection.FieldSize(message, field) > 0
                                            : reflection.HasField(message, field);
      // Most fields of ONNX are not set: few of those are.
      if (set || below(30) == 0) fields_.emplace_back(&message, field);
      if (!set) continue;
      const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) {
        if (field->type() == Field::TYPE_MESSAGE)
          collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                       : *reflection.MutableMessage(&message, field));
        if (field->type() == Field::TYPE_STRING)
          names_.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                : reflection.GetString(message, field));
      }
    }
  }

  int64_t integer(int64_t before) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    const int64_t hostile[] = {0,
                               1,
                               2,
                               3,
                               4,
                               -1,
                               -2,
                               7,
                               16,
                               255,
                               1 << 14,
                               1 << 16,
                               1 << 20,
                               int64_t{1} << 31,
                               int64_t{1} << 32,
                               kMost,
                               -kMost - 1,
                               static_cast<int64_t>(uint64_t(before) + 1),
                               static_cast<int64_t>(uint64_t(before) - 1)};
    return hostile[below(std::size(hostile))];
  }

  float number() {
    constexpr float kMost = std::numeric_limits<float>::max();
    const float hostile[] = {0,
                             1,
                             -1,
                             0.5f,
                             2,
                             1e-30f,
                             kMost,
                             -kMost,
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
    return hostile[below(std::size(hostile))];
  }

  std::string name() {
    static const char* const kOperators[] = {"Conv",    "MaxPool", "Reshape", "Slice",  "Concat",
                                             "Split",   "Gather",  "Resize",  "MatMul", "Expand",
                                             "Squeeze", "Softmax", "Gemm",    "Cast",   "Shape"};
    if (names_.empty() || below(4) == 0) return kOperators[below(std::size(kOperators))];
    return below(20) == 0 ? std::string() : names_[below(names_.size())];
  }

  void change_value(Message& message, const Field& field) {
    const auto& r = *message.GetReflection();
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32:
        return r.SetInt32(&message, &field, static_cast<int32_t>(integer(1)) & 31);
      case Field::CPPTYPE_INT64:
        return r.SetInt64(&message, &field, integer(r.GetInt64(message, &field)));
      case Field::CPPTYPE_FLOAT:
        return r.SetFloat(&message, &field, number());
      case Field::CPPTYPE_ENUM:
        return r.SetEnumValue(&message, &field, static_cast<int>(below(16)));
      case Field::CPPTYPE_STRING: {
        std::string text = r.GetString(message, &field);
        if (field.type() == Field::TYPE_STRING || text.empty())
          text = name();
        else
          damage(text);
        return r.SetString(&message, &field, text);
      }
      default:
        return r.ClearField(&message, &field);
    }
  }

  void change_list(Message& message, const Field& field) {
    const auto& r = *message.GetReflection();
    const int size = r.FieldSize(message, &field);
    if (size > 0 && below(3) == 0) return r.RemoveLast(&message, &field);
    if (size > 1 && below(2) == 0)
      return r.SwapElements(&message, &field, static_cast<int>(below(size_t(size))),
                            static_cast<int>(below(size_t(size))));
    const int at = size ? static_cast<int>(below(size_t(size))) : 0;
    const bool adds = size == 0 || below(2) == 0;
    switch (field.cpp_type()) {
      case Field::CPPTYPE_INT32:
        return adds ? r.AddInt32(&message, &field, static_cast<int32_t>(integer(1)))
                    : r.SetRepeatedInt32(&message, &field, at, static_cast<int32_t>(integer(1)));
      case Field::CPPTYPE_INT64:
        return adds ? r.AddInt64(&message, &field, integer(1))
                    : r.SetRepeatedInt64(&message, &field, at, integer(1));
      case Field::CPPTYPE_FLOAT:
        return adds ? r.AddFloat(&message, &field, number())
                    : r.SetRepeatedFloat(&message, &field, at, number());
      case Field::CPPTYPE_STRING:
        return adds ? r.AddString(&message, &field, name())
                    : r.SetRepeatedString(&message, &field, at, name());
      case Field::CPPTYPE_MESSAGE: {
        Message& added = *r.AddMessage(&message, &field);
        if (size) added.CopyFrom(r.GetRepeatedMessage(message, &field, at));
        return;
      }
      default:
        return;
    }
  }

  const std::vector<std::string> corpus_;
  std::mt19937 random_;
  std::vector<std::pair<Message*, const Field*>> fields_;
  std::vector<std::string> names_;
};

}  // namespace tandem::network::test
