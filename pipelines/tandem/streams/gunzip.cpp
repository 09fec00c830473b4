// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/streams/gunzip.h"

#include <gio/gio.h>
#include <gst/tandem/private/ref.h>

#include <stdexcept>
#include <vector>

namespace tandem {
namespace {

constexpr std::size_t kPiece = 1 << 16;

}  // namespace

bool is_gzip(const std::string& bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(const std::string& bytes, std::size_t most_bytes) {
  const ObjectRef<GZlibDecompressor> decompressor(
      g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  std::string all;
  std::vector<char> piece(kPiece);
  std::size_t taken = 0;
  for (;;) {
    gsize read = 0, written = 0;
    GError* error = nullptr;
    const GConverterResult result = g_converter_convert(
        G_CONVERTER(decompressor.get()), bytes.data() + taken, bytes.size() - taken, piece.data(),
        piece.size(), G_CONVERTER_INPUT_AT_END, &read, &written, &error);
    if (result == G_CONVERTER_ERROR) {
      const std::string why = error->message;
      g_error_free(error);
      throw std::runtime_error("is damaged: " + why);
    }
    taken += read;
    all.append(piece.data(), written);
    if (all.size() > most_bytes) throw std::runtime_error("is too long");
    if (result == G_CONVERTER_FINISHED) return all;
  }
}

}  // namespace tandem
