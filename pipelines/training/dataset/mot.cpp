// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "pipelines/training/dataset/builder.h"
#include "pipelines/training/dataset/mot_lines.h"

namespace tandem::mot {
namespace {

namespace fs = std::filesystem;

bool is_format(const fs::path& path) { return fs::is_regular_file(path / "gt" / "gt.txt"); }

Dataset read(const fs::path& path, const DatasetOptions& options) {
  if (!options.split.empty()) throw std::runtime_error("a MOTChallenge sequence has no splits");
  DatasetBuilder builder("MOTChallenge", options.label, DatasetBuilder::Overhang::kOncePicture);
  std::map<int, std::size_t> photograph_of_frame;
  const std::string frames = sequence_info(path, "imDir");
  for (const std::string& picture :
       photographs_below((path / (frames.empty() ? "img1" : frames)).string())) {
    const fs::path name = fs::path(picture).filename();
    photograph_of_frame[std::atoi(name.stem().c_str())] =
        builder.add_photograph(name.string(), picture);
  }
  read_entries(path / "gt" / "gt.txt", options.label, [&](const Entry& entry, const Place& place) {
    // Shortened copies of a sequence keep the whole gt.txt.
    const auto at = photograph_of_frame.find(entry.frame);
    if (at != photograph_of_frame.end())
      builder.add_box(at->second, entry.label, entry.box, entry.ignored, place);
  });
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::mot

const tandem::DatasetFormat tandem::kMotFormat{"mot", "gt/gt.txt and img1/ (MOTChallenge)",
                                               mot::is_format, mot::read};
