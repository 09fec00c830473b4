// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

TEST(AnalyticsElements, AreThere) {
  GTEST_SKIP() << "needs gstreamer-analytics-1.0, of GStreamer 1.24 or newer";
}
