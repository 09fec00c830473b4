// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem::test {

/// A scene classifier of three classes with random but always the same values, beside model_file():
/// stages find it without being told.
const std::string& scene_model_file();

}  // namespace tandem::test
