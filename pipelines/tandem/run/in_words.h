// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <string_view>

namespace tandem {

/// A configuration as tandembin writes it, in words: "on the CPU (2 threads)" for ccc/cg2, "stages
/// 1-2 on the device, stage 3 on the CPU (5 threads)" for ggc/cg5. Text that is no configuration
/// is returned as it is.
std::string in_words(std::string_view configuration);

}  // namespace tandem
