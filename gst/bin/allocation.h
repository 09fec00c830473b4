// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include "gst/bin/run.h"

namespace tandem {

/// Puts a pool of page-locked memory, and its allocator, before what downstream answered to an
/// ALLOCATION query. False, and nothing changed, when ordinary memory does as well: no stage may
/// compute on the device, it shares the memory of the host, or the caps say no size.
bool offer_page_locked(BinRun& run, GstQuery* query);

}  // namespace tandem
