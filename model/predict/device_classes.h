// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>

#include "model/predict/predict.h"

namespace tandem {

/// Prediction of a configuration whose mapping has further letters. Each device takes what it can
/// of its stages, and the cores compute the rest. The rate is an upper bound, because a free device
/// may wait for a thread. Its energy is unknown.
Prediction predict_device_classes(const Measurements& measurements,
                                  const Configuration& configuration);

/// Calls `visit` for the mappings with further letters that may be of use: those whose frames
/// change sides twice at most. Each crossing goes through the host.
void visit_device_classes(const Measurements& measurements,
                          const std::function<void(const Mapping&)>& visit);

}  // namespace tandem
