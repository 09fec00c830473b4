// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/parsed_size.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <cstdint>

#include "kernels/network/onnx/limits.h"

namespace tandem::network::reader {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;

// Memory that protobuf takes, rounded up. A packed number of one byte becomes eight.
constexpr std::size_t kMessageBytes = 256, kFieldBytes = 64, kBytesOfPackedByte = 8;

class ParsedSize {
 public:
  // Whether the message is whole.
  bool add(std::string_view bytes, const Descriptor& message, int depth) {
    if (depth > kMostDepth) throw Problem("its messages are nested too deeply");
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    while (const uint32_t tag = stream.ReadTag()) {
      take(kFieldBytes);
      const FieldDescriptor* const field =
          message.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
      const auto type = WireFormatLite::GetTagWireType(tag);
      if (type == WireFormatLite::WIRETYPE_START_GROUP) return false;  // ONNX has none
      if (type != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
        if (!WireFormatLite::SkipField(&stream, tag)) return false;
        continue;
      }
      uint32_t length = 0;
      if (!stream.ReadVarint32(&length)) return false;
      const auto begin = static_cast<std::size_t>(stream.CurrentPosition());
      if (length > bytes.size() - begin || !stream.Skip(static_cast<int>(length))) return false;
      if (field && !add(bytes.substr(begin, length), *field, depth)) return false;
    }
    return stream.ConsumedEntireMessage();
  }

 private:
  bool add(std::string_view bytes, const FieldDescriptor& field, int depth) {
    switch (field.type()) {
      case FieldDescriptor::TYPE_MESSAGE:
        take(kMessageBytes);
        return add(bytes, *field.message_type(), depth + 1);
      case FieldDescriptor::TYPE_STRING:
      case FieldDescriptor::TYPE_BYTES:
      case FieldDescriptor::TYPE_FLOAT:
      case FieldDescriptor::TYPE_DOUBLE:
        return true;
      default:
        take(bytes.size() * kBytesOfPackedByte);
        return true;
    }
  }

  void take(std::size_t bytes) {
    if (bytes > left_)
      throw Problem("its description takes more than " + std::to_string(kMostParsedBytes) +
                    " bytes of memory");
    left_ -= bytes;
  }
  std::size_t left_ = kMostParsedBytes;
};

}  // namespace

void check_parsed_size(std::string_view bytes, const Descriptor& message) {
  if (!ParsedSize().add(bytes, message, 1))
    throw Problem("it is not an ONNX file, or is damaged; export or copy it again");
}

}  // namespace tandem::network::reader
