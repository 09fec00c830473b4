// SPDX-License-Identifier: LGPL-2.1-or-later
// A build without neural networks.
#include "gst/elements/elements.h"

namespace tandem {

std::vector<NamedType> network_elements() { return {}; }

}  // namespace tandem
