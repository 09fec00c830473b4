// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <nlohmann/json.hpp>

namespace tandem::reference {

/// Size of the frames that tensors are described for, pixels.
inline constexpr int kWidth = 320, kHeight = 240;

/// The names of each application's stages, in order.
nlohmann::ordered_json application_chains();

/// The tensors that each stage of the applications puts on a frame, seen on frames that pass: their
/// names, types, shapes, and the element that makes them.
nlohmann::ordered_json describe_tensors();

/// The structures that a tandembin tells while it runs: "tandem-decision", "stats" and
/// "predictions", each with names and types of its fields.
nlohmann::ordered_json describe_telling();

}  // namespace tandem::reference
