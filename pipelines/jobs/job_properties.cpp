// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/job_properties.h"

#include "pipelines/tandem/options/applications.h"

namespace tandem {
namespace {

constexpr JobProperty kProperties[] = {
    {"size", "WxH", "scale to this size first"},
    {"first-scale", "F", "vivid: shrink frames by this first (below 1 enlarges: smaller people)"},
    {"scales", "N", "vivid: levels of the image pyramid (default: 0, all that hold a person)"},
    {"threshold", "T", "vivid and network: least confidence of a detection, 0 to 1 (default: 0.5)"},
    {"iterations", "N",
     "srad: iterations of the smoothing (default: 20); tracking: most steps towards a feature's "
     "new place (default: 0, by the size of the frame)"},
    {"model", "FILE",
     "vivid and scene: another model than the one that comes with Tandem; network: an ONNX file. "
     "Its path must be valid for all workers"},
};

}  // namespace

std::span<const JobProperty> job_properties() { return kProperties; }

JobSetup set_up(const Analysis& analysis, const BinSettings& machine) {
  JobSetup setup{{}, machine};
  setup.bin.stages = find_application(analysis.application).stages;
  for (const auto& [name, value] : analysis.properties) {
    const char* option = name.c_str();
    if (name == "size") {
      setup.size = parse_size(name, value);
    } else if (name == "first-scale") {
      setup.bin.first_scale = parse_positive(name, value);
    } else if (name == "scales") {
      read_value(option, value, setup.bin.scales);
    } else if (name == "threshold") {
      read_value(option, value, setup.bin.threshold);
    } else if (name == "iterations") {
      read_value(option, value, setup.bin.iterations);
    } else if (name == "model") {
      read_value(option, value, setup.bin.model);
    } else {
      throw UsageError("jobs have no property '" + name + "'");
    }
  }
  check_model(find_application(analysis.application), setup.bin.model);
  return setup;
}

}  // namespace tandem
