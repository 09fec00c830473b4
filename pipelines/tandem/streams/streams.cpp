// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/streams/streams.h"

#include <gio/gio.h>
#include <gst/tandem/private/ref.h>

#include <stdexcept>

#include "files/regular_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

namespace tandem {
namespace {

constexpr std::size_t kMostBytes = 256 << 20;
constexpr std::size_t kPieceBytes = 1 << 16;  // that are uncompressed in one call

constexpr std::pair<std::string_view, int (*)(const std::vector<std::string>&)> kActions[] = {
    {"measure", streams_measure},
    {"train", streams_train},
    {"evaluate", streams_evaluate},
    {"suggest", streams_suggest},
};

// The uncompressed bytes of a gzip file. Throws std::runtime_error, to go behind the file's name.
std::string gunzip(const std::string& bytes) {
  const ObjectRef<GZlibDecompressor> decompressor(
      g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  std::string all;
  std::vector<char> piece(kPieceBytes);
  std::size_t taken = 0;
  for (;;) {
    gsize read = 0, written = 0;
    GError* error = nullptr;
    const GConverterResult result = g_converter_convert(
        G_CONVERTER(decompressor.get()), bytes.data() + taken, bytes.size() - taken, piece.data(),
        piece.size(), G_CONVERTER_INPUT_AT_END, &read, &written, &error);
    if (result == G_CONVERTER_ERROR) throw std::runtime_error("is damaged: " + take_message(error));
    taken += read;
    all.append(piece.data(), written);
    if (all.size() > kMostBytes) throw std::runtime_error("is too long");
    if (result == G_CONVERTER_FINISHED) return all;
  }
}

}  // namespace

streams::SampleTable read_sample_file(const std::string& path) {
  const RegularFile file = read_regular_file(path, kMostBytes);
  if (!file.problem.empty()) throw Failure("'" + path + "' " + file.problem);
  const bool is_gzip = file.bytes.starts_with("\x1f\x8b");
  try {
    return streams::read_samples(is_gzip ? gunzip(file.bytes) : file.bytes);
  } catch (const std::exception& error) {
    throw Failure("'" + path + "': " + error.what(),
                  "This command reads what `tandem streams measure` writes.");
  }
}

int streams_command(const std::vector<std::string>& arguments) {
  for (const auto& [name, action] : kActions)
    if (!arguments.empty() && arguments.front() == name)
      return action({arguments.begin() + 1, arguments.end()});
  std::vector<std::string> words, names;
  OptionParser parser("streams",
                      "Learns for stage files how many partitions of a device and how many tasks "
                      "are fastest (docs/streams.md). `tandem streams measure --help` lists the "
                      "options of an action.\n\n"
                      "  measure       time partitions and tasks of stage files\n"
                      "  train         learn a model from the measurements\n"
                      "  evaluate      compare the model with rivals on programs left out\n"
                      "  suggest       suggest the tasks and partitions of a stage file");
  parser.add_operands(words, "measure|train|evaluate|suggest");
  parser.parse(arguments);
  if (words.empty())
    throw UsageError("streams needs an action, as in: tandem streams measure FOLDER");
  for (const auto& [name, action] : kActions) names.emplace_back(name);
  throw UsageError("streams has no action '" + words.front() + "'" +
                   did_you_mean(words.front(), names));
}

}  // namespace tandem
