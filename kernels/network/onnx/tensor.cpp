// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/tensor.h"

#include <onnx/onnx_pb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "files/parse_number.h"
#include "files/regular_file.h"
#include "kernels/network/onnx/problem.h"
#include "kernels/network/onnx/shapes.h"
#include "kernels/util/half.h"

namespace tandem::network::reader {
namespace {

struct Place {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

uint64_t count_in(const std::string& key, const std::string& text) {
  if (const auto value = parse_number<uint64_t>(text)) return *value;
  throw Problem("its external data has the " + key + " " + in_quotes(text));
}

Place place_of(const ::onnx::TensorProto& tensor) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") place.offset = count_in(entry.key(), entry.value());
    if (entry.key() == "length") place.length = count_in(entry.key(), entry.value());
  }
  const std::string& name = place.location;
  if (name.empty() || name == "." || name == ".." || name.find('/') != name.npos ||
      name.find('\0') != name.npos)
    throw Problem("its external data is in " + in_quotes(name) +
                  "; only files in the same folder as the network are read");
  return place;
}

/// Reads the bytes of a tensor whose data lies in another file: in `folder` itself, a regular file
/// and no link. Throws Problem, also if it is longer than `most_bytes`.
std::string read_external_data(const ::onnx::TensorProto& tensor, const std::string& folder,
                               uint64_t most_bytes) {
  const Place place = place_of(tensor);
  const std::string name = "its external data " + in_quotes(place.location) + " ";
  const OpenedFile opened = open_regular_file(folder + "/" + place.location, Links::kRefuse);
  if (!opened.problem.empty()) throw Problem(name + opened.problem);
  struct stat status;
  if (fstat(opened.file.number(), &status) != 0)
    throw Problem(name + "cannot be read: " + std::strerror(errno));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (place.offset > size || place.length.value_or(0) > size - place.offset)
    throw Problem(name + "is too short; copy it again");
  const uint64_t length = place.length.value_or(size - place.offset);
  if (length > most_bytes) throw Problem(name + "is longer than the tensor");

  std::string bytes(length, '\0');
  for (std::size_t done = 0; done < length;) {
    const ssize_t got = pread(opened.file.number(), bytes.data() + done, length - done,
                              static_cast<off_t>(place.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw Problem(name + "cannot be read: " + (got < 0 ? std::strerror(errno) : "it shrank"));
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

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
