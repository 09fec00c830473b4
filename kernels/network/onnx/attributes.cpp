// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/attributes.h"

#include <cmath>

#include "kernels/network/onnx/problem.h"

namespace tandem::network::reader {

Attributes::Attributes(const ::onnx::NodeProto& node) {
  for (const Proto& attribute : node.attribute()) {
    if (!attribute.ref_attr_name().empty())
      throw Problem("attribute " + in_quotes(attribute.name()) + " is that of a function");
    if (!all_.try_emplace(attribute.name(), Entry{&attribute, false}).second)
      throw Problem("it has attribute " + in_quotes(attribute.name()) + " twice");
  }
}

const ::onnx::AttributeProto* Attributes::find(std::string_view name, Proto::AttributeType type) {
  const auto found = all_.find(name);
  if (found == all_.end()) return nullptr;
  found->second.read = true;
  if (found->second.proto->type() != type)
    throw Problem("attribute " + in_quotes(name) + " has another type than " +
                  Proto::AttributeType_Name(type));
  return found->second.proto;
}

int64_t Attributes::integer(std::string_view name, int64_t otherwise) {
  const Proto* const attribute = find(name, Proto::INT);
  return attribute ? attribute->i() : otherwise;
}

float Attributes::number(std::string_view name, float otherwise) {
  const Proto* const attribute = find(name, Proto::FLOAT);
  const float number = attribute ? attribute->f() : otherwise;
  if (!std::isfinite(number)) throw Problem("attribute " + in_quotes(name) + " is infinite or NaN");
  return number;
}

std::string Attributes::text(std::string_view name, std::string_view otherwise) {
  const Proto* const attribute = find(name, Proto::STRING);
  return attribute ? attribute->s() : std::string(otherwise);
}

std::optional<std::vector<int64_t>> Attributes::integers(std::string_view name) {
  const Proto* const attribute = find(name, Proto::INTS);
  if (!attribute) return std::nullopt;
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<float>> Attributes::numbers(std::string_view name) {
  const Proto* const attribute = find(name, Proto::FLOATS);
  if (!attribute) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

const ::onnx::TensorProto* Attributes::tensor(std::string_view name) {
  const Proto* const attribute = find(name, Proto::TENSOR);
  return attribute ? &attribute->t() : nullptr;
}

void Attributes::ignore(std::string_view name) {
  if (const auto found = all_.find(name); found != all_.end()) found->second.read = true;
}

void Attributes::check_all_read() const {
  for (const auto& [name, entry] : all_)
    if (!entry.read) throw Problem("attribute " + in_quotes(name) + " is not supported");
}

}  // namespace tandem::network::reader
