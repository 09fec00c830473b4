// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "kernels/network/onnx/external_data.h"
#include "kernels/network/onnx/shapes.h"
#include "kernels/util/half.h"

namespace tandem::network::reader {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data of ONNX is little-endian");

float from_half(uint16_t bits) { return Half::widened(bits); }
float from_bfloat16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

// The elements as they are stored: in raw bytes, or one after the other in a field of the message.
class Elements {
 public:
  Elements(const TensorProto& tensor, std::size_t count, const std::string* raw)
      : tensor_(tensor), count_(count), raw_(raw) {}

  // `convert` makes an element of what is stored as Stored in raw bytes, and as an element of
  // `field`, which may be wider, otherwise.
  template <class Stored, class Field, class To, class Convert>
  void read(const Field& field, std::vector<To>& to, Convert convert) const {
    const std::size_t stored =
        raw_ ? raw_->size() / sizeof(Stored) : static_cast<std::size_t>(field.size());
    if (stored != count_ || (raw_ && raw_->size() % sizeof(Stored) != 0))
      throw Problem("its shape has " + std::to_string(count_) + " elements, its data " +
                    std::to_string(stored));
    to.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      Stored element;
      if (raw_)
        std::memcpy(&element, raw_->data() + i * sizeof element, sizeof element);
      else
        element = static_cast<Stored>(field[static_cast<int>(i)]);
      to[i] = convert(element);
    }
  }

  void read(Tensor& to) const {
    const auto same = [](auto element) { return static_cast<float>(element); };
    const auto integer = [](auto element) { return static_cast<int64_t>(element); };
    switch (tensor_.data_type()) {
      case TensorProto::FLOAT:
        return read<float>(tensor_.float_data(), to.floats, same);
      case TensorProto::DOUBLE:
        return read<double>(tensor_.double_data(), to.floats, same);
      case TensorProto::FLOAT16:
        return read<uint16_t>(tensor_.int32_data(), to.floats, from_half);
      case TensorProto::BFLOAT16:
        return read<uint16_t>(tensor_.int32_data(), to.floats, from_bfloat16);
      case TensorProto::INT64:
        return read<int64_t>(tensor_.int64_data(), to.integers, integer);
      case TensorProto::UINT64:
        return read<uint64_t>(tensor_.uint64_data(), to.integers, integer);
      case TensorProto::UINT32:
        return read<uint32_t>(tensor_.uint64_data(), to.integers, integer);
      case TensorProto::INT32:
        return read<int32_t>(tensor_.int32_data(), to.integers, integer);
      case TensorProto::INT16:
        return read<int16_t>(tensor_.int32_data(), to.integers, integer);
      case TensorProto::UINT16:
        return read<uint16_t>(tensor_.int32_data(), to.integers, integer);
      case TensorProto::INT8:
        return read<int8_t>(tensor_.int32_data(), to.integers, integer);
      case TensorProto::UINT8:
      case TensorProto::BOOL:
        return read<uint8_t>(tensor_.int32_data(), to.integers, integer);
      default:
        throw Problem("elements of type " + name_of_type(tensor_.data_type()) +
                      " are not supported");
    }
  }

 private:
  const TensorProto& tensor_;
  const std::size_t count_;
  const std::string* const raw_;  // null: in a field
};

}  // namespace

bool is_floating(int data_type) {
  return data_type == TensorProto::FLOAT || data_type == TensorProto::DOUBLE ||
         data_type == TensorProto::FLOAT16 || data_type == TensorProto::BFLOAT16;
}

bool is_integer(int data_type) {
  switch (data_type) {
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::INT32:
    case TensorProto::UINT32:
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return true;
    default:
      return false;
  }
}

std::string name_of_type(int data_type) {
  return TensorProto::DataType_IsValid(data_type)
             ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(data_type))
             : std::to_string(data_type);
}

Tensor read_tensor(const TensorProto& proto, const std::string& folder, Budget& budget) {
  try {
    Tensor tensor;
    tensor.shape.assign(proto.dims().begin(), proto.dims().end());
    tensor.integer = is_integer(proto.data_type());
    const int64_t count = checked_elements(tensor.shape);
    budget.take_read(count, tensor.integer);
    if (proto.has_segment()) throw Problem("it is in segments, which are not supported");
    std::string external;
    const std::string* raw = proto.has_raw_data() ? &proto.raw_data() : nullptr;
    if (proto.data_location() == TensorProto::EXTERNAL) {
      external = read_external_data(proto, folder, static_cast<uint64_t>(count) * sizeof(int64_t));
      raw = &external;
    }
    Elements(proto, static_cast<std::size_t>(count), raw).read(tensor);
    for (const float element : tensor.floats)
      if (!std::isfinite(element)) throw Problem("it has an element that is infinite or NaN");
    return tensor;
  } catch (const Problem& problem) {
    throw Problem("tensor " + in_quotes(proto.name()) + ": " + problem.what());
  }
}

}  // namespace tandem::network::reader
