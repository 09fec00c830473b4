// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem::network {

/// Whether this build reads and computes networks: libonnx and oneDNN are optional.
extern const bool kHaveNetworks;

/// Message to users of a build without them.
inline constexpr char kNoNetworks[] =
    "this build of Tandem has no neural networks; build it with libonnx, Protocol Buffers and "
    "oneDNN (Debian: libonnx-dev, libprotobuf-dev, libdnnl-dev)";

}  // namespace tandem::network
