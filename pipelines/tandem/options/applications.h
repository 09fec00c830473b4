// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>

#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/run/result_summary.h"

namespace tandem {

/// An application of the command.
struct Application {
  const char* name;
  const char* purpose;       ///< its purpose, as in "finds people"
  const char* stages;        ///< what `run` puts into tandembin, with what differs from defaults
  const char* bench_stages;  ///< what `bench` puts there
  Size bench_size;           ///< of the frames, without the option --size
  MakeResultSummary* make_summary;
  bool finds_objects = false;  ///< tandemtrack can assign ids to them
  bool needs_model = false;    ///< none comes with Tandem
};

std::span<const Application> applications();

/// Throws UsageError that lists the applications when there is none called `name`.
const Application& find_application(const std::string& name);

/// Throws UsageError when the application lacks its model, or this build the networks.
void check_model(const Application& application, const std::string& model);

/// A line for each, for help texts.
std::string list_applications();

}  // namespace tandem
