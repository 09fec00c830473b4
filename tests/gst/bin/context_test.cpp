// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL context is shared through GstContext, and an application may bring its own.
#include <gst/tandem/private/openclcontext.h>
#include <gtest/gtest.h>

#include "kernels/opencl/opencl.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

class SharedContext : public testing::Test {
 protected:
  void SetUp() override {
    if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
    application_ = opencl::Context::open("any");
  }

  GstContext* make_context() const {
    GstContext* made = gst_context_new(GST_TANDEM_OPENCL_CONTEXT_TYPE, TRUE);
    gst_structure_set(gst_context_writable_structure(made), "cl-context", G_TYPE_POINTER,
                      application_->cl_context(), "cl-device", G_TYPE_POINTER,
                      application_->cl_device_id(), nullptr);
    return made;
  }

  static gpointer cl_context_of(GstElement* element) {
    GstContext* context = gst_element_get_context(element, GST_TANDEM_OPENCL_CONTEXT_TYPE);
    if (!context) return nullptr;
    gpointer handle = nullptr;
    gst_structure_get(gst_context_get_structure(context), "cl-context", G_TYPE_POINTER, &handle,
                      nullptr);
    gst_context_unref(context);
    return handle;
  }

  static std::string alone_on_device(const std::string& selector) {
    const std::string device = " device=opencl opencl-device=" + selector;
    return "vividfilter name=a" + device + " ! vividhistogram name=b" + device +
           " ! vividclassifier name=c" + device;
  }

  std::shared_ptr<opencl::Context> application_;
};

// No device fits "none": without the application's context nothing would run there.
constexpr char kNone[] = "none-of-this-name";

TEST_F(SharedContext, TheBinUsesTheApplications) {
  Stream stream("tandembin.( name=tandembin0 mapping=ggg threads=1 opencl-device=" +
                std::string(kNone) + " vividfilter name=a ! vividhistogram ! vividclassifier )");
  GstContext* context = make_context();
  gst_element_set_context(stream.pipeline(), context);
  gst_context_unref(context);
  for (int run = 0; run < 2; ++run) {  // and again after NULL
    EXPECT_EQ(stream.run(3).size(), 3U);
    EXPECT_EQ(stream.stat("frames-device"), 3U);
    EXPECT_EQ(cl_context_of(stream.tandembin()), application_->cl_context());
    stream.set_state(GST_STATE_NULL);
  }
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_WARNING).empty());
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_HAVE_CONTEXT).empty());
}

TEST_F(SharedContext, TheBinAsksForIt) {
  Stream stream(bin("mapping=ggg threads=1"));
  stream.messages.offer(make_context());
  EXPECT_EQ(stream.run(3).size(), 3U);
  EXPECT_FALSE(stream.messages.all(GST_MESSAGE_NEED_CONTEXT).empty());
  EXPECT_TRUE(stream.messages.all(GST_MESSAGE_HAVE_CONTEXT).empty());
  EXPECT_EQ(cl_context_of(stream.tandembin()), application_->cl_context());
}

TEST_F(SharedContext, StagesAloneUseTheApplications) {
  const std::vector<Result> expected = expected_results(2);
  Stream stream(alone_on_device(kNone));
  stream.messages.offer(make_context());
  const std::vector<Result> got = stream.run(2);
  ASSERT_EQ(got.size(), 2U);
  for (int i = 0; i < 2; ++i) expect_same(expected[i], got[i], true);
  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(cl_context_of(stream.element(name)), application_->cl_context());
}

TEST_F(SharedContext, ElementsOfOnePipelineShareOne) {
  Stream stream(alone_on_device("any"));
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(stream.messages.all(GST_MESSAGE_HAVE_CONTEXT).size(), 1U);
  EXPECT_NE(cl_context_of(stream.element("a")), nullptr);
  EXPECT_EQ(cl_context_of(stream.element("a")), cl_context_of(stream.element("b")));
  EXPECT_EQ(cl_context_of(stream.element("a")), cl_context_of(stream.element("c")));
}

TEST_F(SharedContext, PipelinesOfOneProcessShareOne) {
  Stream one(bin("mapping=ggg threads=1 opencl-device=any")),
      other(bin("mapping=ggg threads=1 opencl-device=\"" + application_->device().name + "\""));
  EXPECT_EQ(one.run(2).size(), 2U);
  EXPECT_EQ(other.run(2).size(), 2U);
  ASSERT_NE(cl_context_of(one.tandembin()), nullptr);
  EXPECT_EQ(cl_context_of(one.tandembin()), cl_context_of(other.tandembin()));
  EXPECT_NE(cl_context_of(one.tandembin()), application_->cl_context()) << "which is its own";
}

TEST_F(SharedContext, ABinAndAStageShareOne) {
  Stream stream("vividfilter name=a device=opencl opencl-device=any ! " +
                std::string("tandembin.( name=tandembin0 mapping=gg threads=1 opencl-device=any "
                            "vividhistogram ! vividclassifier )"));
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(cl_context_of(stream.element("a")), cl_context_of(stream.tandembin()));
}

TEST_F(SharedContext, AnotherDeviceCanBeChosenAfterNull) {
  Stream stream(bin("mapping=ggg threads=1"));
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(stream.stat("frames-device"), 2U);
  stream.set_state(GST_STATE_NULL);
  g_object_set(stream.tandembin(), "opencl-device", kNone, nullptr);
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(stream.stat("frames-device"), 0U);
  EXPECT_EQ(stream.messages.all(GST_MESSAGE_WARNING).size(), 1U);
}

TEST_F(SharedContext, HandlesThatCannotBeUsedAreNotUsed) {
  Stream stream(bin("mapping=ggg threads=1"));
  stream.messages.offer(gst_context_new(GST_TANDEM_OPENCL_CONTEXT_TYPE, TRUE));
  EXPECT_EQ(stream.run(2).size(), 2U);
  EXPECT_EQ(stream.stat("frames-device"), 2U) << "its own, opened with opencl-device";
}

}  // namespace
}  // namespace tandem::test
