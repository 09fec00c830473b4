// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds without hiredis link this file.
#include "gst/publish/brokers.h"

const tandem::BrokerProtocol tandem::kRedisProtocol{
    .missing =
        "This build does not support Redis. Install libhiredis-dev, then configure and build "
        "again."};
