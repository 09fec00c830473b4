// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>

#include "pipelines/jobs/job.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// An option of `tandem submit` and `tandem run` that changes the result.
struct JobProperty {
  const char *name, *argument, *help;
};
std::span<const JobProperty> job_properties();

struct JobSetup {
  std::optional<Size> size;
  BinSettings bin;
};

/// The setup for a job on a worker with these settings of its machine. Throws UsageError for an
/// unknown application or property, and for values that cannot be read.
JobSetup set_up(const Analysis& analysis, const BinSettings& machine);

}  // namespace tandem
