// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/bench/support/told_stream.h"

#include <sstream>

namespace tandem {
namespace {

// The part of a turn that comes before what counts: the stream has run empty since the last one.
constexpr double kFills = 0.2;

}  // namespace

std::string ToldStream::answer(const std::string& line) {
  std::istringstream words(line);
  std::string verb, chain, size, configuration;
  words >> verb;
  if (verb == "begin") {
    gst_init(nullptr, nullptr);
    words >> chain >> size >> configuration;
    frames_.emplace(read_size(size));
    bin_.emplace(options_, bench_chain(chain).stages, "off");
    bin_->force(configuration);
    bin_->begin(frames_->size);
    offered_.emplace(*bin_, frames_->buffers);
    settle(*bin_, offered_->buffers(), kMostSettling_s);
  } else if (verb == "run") {
    double seconds = 0;
    words >> seconds;
    bin_->run(offered_->buffers(), kFills * seconds);
    return std::to_string(bin_->run(offered_->buffers(), seconds));
  } else {
    offered_.reset();
    bin_.reset();
  }
  return "done";
}

}  // namespace tandem
