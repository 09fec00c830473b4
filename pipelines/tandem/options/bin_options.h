// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/tandem/options/applications.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// Takes the application's name off the front of `arguments`. Null when they begin with `--help`,
/// which needs none. Throws UsageError.
const Application* take_application(std::vector<std::string>& arguments,
                                    const std::string& command);

enum class Subcommand { run, bench };

/// The options that `run` and `bench` share; some of their defaults differ.
void add_model_options(OptionParser& parser, BinSettings& settings, Subcommand command);

/// The options that fix the configuration of tandembin.
void add_configuration_options(OptionParser& parser, BinSettings& settings);

/// The options of either that change its speed and not its results.
void add_machine_options(OptionParser& parser, BinSettings& settings, Subcommand command);
void add_speed_options(OptionParser& parser, BinSettings& settings);

}  // namespace tandem
