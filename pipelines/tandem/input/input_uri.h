// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace tandem {

/// The URI of `input` (a file, a URI, `camera` or a /dev/video device). Throws Failure if the file
/// or device does not exist or cannot be read.
std::string input_uri(const std::string& input);

/// `uri`, or fd:// where it is a FIFO. The process has it open from now on, and does not wait for
/// its writer; filesrc opens files twice, which leaves the writer without a reader in between.
/// Throws Failure.
std::string open_fifo(const std::string& uri);

/// The video of the demo, if it exists: the file that TANDEM_DEMO_VIDEO names, else
/// vtest.avi of Debian's opencv-doc; empty where neither is.
std::string demo_video();

}  // namespace tandem
