// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/uri_scheme.h"

#include <gtest/gtest.h>

namespace tandem::test {
namespace {

TEST(UriScheme, IsInFrontOfTheFirstColon) {
  EXPECT_EQ(uri_scheme("file:///gate.mp4"), "file");
  EXPECT_EQ(uri_scheme("RTSP://camera:554/"), "rtsp");
  EXPECT_EQ(uri_scheme("x-a.b+1:"), "x-a.b+1");
  for (const char* none : {"", ":", "gate.mp4", "/a:b", "1http://h", " http://h", "ht tp://h",
                           "http\t:", "-a:", "\xc4\xb0:"})
    EXPECT_EQ(uri_scheme(none), "") << none;
}

TEST(UriScheme, HasANameOfSmallLetters) {
  EXPECT_TRUE(is_uri_scheme("rtsps"));
  for (const char* wrong : {"", "RTSP", "rtsp:", "1a", "a/b"}) EXPECT_FALSE(is_uri_scheme(wrong));
}

}  // namespace
}  // namespace tandem::test
