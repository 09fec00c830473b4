// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds without libmosquitto link this file.
#include "gst/publish/brokers.h"

const tandem::BrokerProtocol tandem::kMqttProtocol{
    .missing =
        "This build does not support MQTT. Install libmosquitto-dev, then configure and build "
        "again."};
