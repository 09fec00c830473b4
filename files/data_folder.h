// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The folder of the files that come with Tandem, such as `models/`: the environment's
/// TANDEM_DATA_DIR, else the installed one.
std::string data_folder();

}  // namespace tandem
