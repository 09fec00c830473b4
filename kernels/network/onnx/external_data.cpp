// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/onnx/external_data.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "files/parse_number.h"
#include "files/regular_file.h"
#include "kernels/network/onnx/problem.h"

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

}  // namespace

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

}  // namespace tandem::network::reader
