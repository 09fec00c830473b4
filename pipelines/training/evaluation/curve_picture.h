// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/training/evaluation/average_precision.h"

namespace tandem {

struct NamedCurve {
  std::string name;
  Evaluation evaluation;
};

/// Precision over recall as an SVG picture, up to six curves.
std::string curve_picture(const std::string& title, const std::vector<NamedCurve>& curves);

}  // namespace tandem
