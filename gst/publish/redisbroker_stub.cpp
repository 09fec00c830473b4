// SPDX-License-Identifier: LGPL-2.1-or-later
// What a build without hiredis links.
#include "gst/publish/brokers.h"

const tandem::BrokerProtocol tandem::kRedisProtocol{
    .missing =
        "This build does not support Redis. Install libhiredis-dev, then configure and build "
        "again."};
