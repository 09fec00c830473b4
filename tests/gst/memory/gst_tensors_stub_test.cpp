// SPDX-License-Identifier: LGPL-2.1-or-later
// The property `tensors` of stages in a build without GstTensorMeta.
#include <gst/tandem/private/ref.h>
#include <gst/tandem/tensormeta.h>
#include <gtest/gtest.h>

#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr char kAsking[] =
    "vividfilter ! vividhistogram name=histogram tensors=all ! vividclassifier";

TEST(GstTensorsStub, AskingForTensorsIsReportedOnce) {
  for (const std::string& way :
       {std::string(
            "vividfilter device=cpu ! vividhistogram name=histogram device=cpu tensors=all ! "
            "vividclassifier device=cpu"),
        bin_of(kAsking, "mapping=ccc")}) {
    SCOPED_TRACE(way);
    Stream stream(way);
    EXPECT_EQ(indices(stream.run(3)), count_to(3));
    const auto warnings = stream.messages.all(GST_MESSAGE_WARNING);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].source, "histogram");
    EXPECT_EQ(warnings[0].text,
              "The property tensors of vividhistogram has no effect: this Tandem was built without "
              "GStreamer's library of tensors. Build it with gstreamer-analytics-1.0 of GStreamer "
              "1.26 or newer.");
  }
}

TEST(GstTensorsStub, ABinLetsGoOfTensors) {
  Stream stream(bin_of(kAsking, "mapping=ccc"));
  for (const Result& result : stream.run(3)) EXPECT_TRUE(result.tensors.empty());
}

TEST(GstTensorsStub, TheDefaultIsNoneAndSilent) {
  Stream stream("vividfilter name=filter device=cpu");
  gchar* tensors = nullptr;
  g_object_get(stream.element("filter"), "tensors", &tensors, nullptr);
  EXPECT_STREQ(tensors, "none");
  g_free(tensors);
  for (const char* nothing : {"none", "", " ", ","}) {
    g_object_set(stream.element("filter"), "tensors", nothing, nullptr);
  }
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
}

}  // namespace
}  // namespace tandem::test
