// SPDX-License-Identifier: LGPL-2.1-or-later
// A steady stream makes nothing anew: no memory, no OpenCL object, no program.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/gst/support/scene_model.h"
#include "tests/gst/support/stream.h"

namespace {
std::atomic<int> allocations{0};

void* allocate(std::size_t bytes, std::size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace

// The program's own: the plugin uses them too, because the program exports them.
void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new[](std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace tandem::test {
namespace {

constexpr int kWarmUpFrames = 200, kSteadyFrames = 300;

struct Counts {
  int allocations = 0;
  uint64_t tensors = 0, buffers = 0, programs = 0, objects = 0;
};

struct Watch {
  GstElement* bin;
  int frames = 0;
  Counts warm, last;

  Counts now() const {
    GstStructure* stats = nullptr;
    g_object_get(bin, "stats", &stats, nullptr);
    Counts counts;
    gst_structure_get(stats, "tensors-made", G_TYPE_UINT64, &counts.tensors, "opencl-buffers-made",
                      G_TYPE_UINT64, &counts.buffers, "opencl-programs-made", G_TYPE_UINT64,
                      &counts.programs, "opencl-objects-made", G_TYPE_UINT64, &counts.objects,
                      nullptr);
    gst_structure_free(stats);
    counts.allocations = allocations;  // after what asking allocates
    return counts;
  }

  static GstPadProbeReturn count(GstPad*, GstPadProbeInfo*, gpointer user_data) {
    auto* self = static_cast<Watch*>(user_data);
    ++self->frames;
    if (self->frames == kWarmUpFrames) self->warm = self->now();
    if (self->frames == kWarmUpFrames + kSteadyFrames) {
      self->last.allocations = allocations;  // before what asking allocates
      const int before = self->last.allocations;
      self->last = self->now();
      self->last.allocations = before;
    }
    return GST_PAD_PROBE_OK;
  }
};

// Plays noise through a bin of these stages and returns what was made between the two counts.
Counts made_when_steady(const std::string& stages, const std::string& configuration) {
  const auto stream = Stream::of(
      "videotestsrc pattern=snow num-buffers=" + std::to_string(kWarmUpFrames + kSteadyFrames) +
      " ! " + caps_text({160, 208}) + " ! " + bin_of(stages, configuration) +
      " ! identity name=after ! appsink name=sink sync=false drop=true wait-on-eos=false "
      "max-buffers=1");
  Watch watch{stream->tandembin()};
  GstPad* pad = gst_element_get_static_pad(stream->element("after"), "sink");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, Watch::count, &watch, nullptr);
  gst_object_unref(pad);
  stream->play();
  // However long a busy machine takes for them all, a frame comes every half minute.
  while (GstBuffer* frame = stream->pull_buffer()) gst_buffer_unref(frame);
  EXPECT_EQ(watch.frames, kWarmUpFrames + kSteadyFrames);
  EXPECT_GT(watch.warm.tensors, 0U);
  const Counts &warm = watch.warm, &last = watch.last;
  return {last.allocations - warm.allocations, last.tensors - warm.tensors,
          last.buffers - warm.buffers, last.programs - warm.programs, last.objects - warm.objects};
}

// A thread that gets its first frame late warms up late, with about 30: far from once a frame.
// Where frames wait for their turn at a serial stage more may wait than ever before.
int late_allocations(const std::string& stages) {
  const bool serial = stages.find("klttracks") != std::string::npos;
  return serial ? kSteadyFrames * 2 / 3 : kSteadyFrames / 3;
}

// A thread that loses its core for a while makes hundreds of frames wait behind its own, more than
// ever before: that happens now and then, and what is made for each frame is made in every stream.
constexpr int kStreams = 5;

void expect_steady(const std::string& stages, const std::string& configuration) {
  SCOPED_TRACE(configuration);
  const int late = late_allocations(stages);
  Counts made;
  for (int stream = 0; stream < kStreams; ++stream) {
    made = made_when_steady(stages, configuration);
    if (made.allocations < late) break;
  }
  EXPECT_LT(made.allocations, late);
  EXPECT_LT(made.tensors, static_cast<uint64_t>(late));
  EXPECT_LT(made.buffers, static_cast<uint64_t>(late));
  EXPECT_EQ(made.programs, 0U);
  EXPECT_EQ(made.objects, 0U);
  testing::Test::RecordProperty(configuration, made.allocations);
}

TEST(Counting, TheProgramSeesThePluginsAllocations) {
  const int before = allocations;
  GstElement* made = gst_element_factory_make("tandembin", nullptr);
  gst_object_unref(gst_object_ref_sink(made));
  EXPECT_GT(allocations, before);
}

struct Application {
  const char *name, *stages;
};
void PrintTo(const Application& application, std::ostream* out) { *out << application.name; }

constexpr Application kApplications[] = {
    {"vivid", kStages},
    {"srad",
     "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=3 ! "
     "sradcompress"},
    {"tracking", "kltpyramid ! kltfeatures ! kltflow ! klttracks"},
    {"scene", "scenefeatures ! sceneclassifier"},
};

class Steady : public testing::TestWithParam<Application> {
 protected:
  static void SetUpTestSuite() { scene_model_file(); }
  // As many letters g as there are stages; in `but_one`, c for the second.
  static std::string mapping(bool but_one) {
    const std::string stages = GetParam().stages;
    std::string letters(std::count(stages.begin(), stages.end(), '!') + 1, 'g');
    if (but_one) letters[1] = 'c';
    // klttracks runs on the CPU alone.
    if (stages.ends_with("klttracks")) letters.back() = 'c';
    return "mapping=" + letters;
  }
};

// Not with keep-tensors: there are as many as frames wait downstream, and a loaded machine decides
// that.
TEST_P(Steady, OnTheCpu) {
  for (const char* configuration : {"threads=1", "threads=3", "granularity=mg"})
    expect_steady(GetParam().stages, configuration);
}

TEST_P(Steady, OnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  expect_steady(GetParam().stages, mapping(false) + " threads=1");
  expect_steady(GetParam().stages, mapping(false) + " threads=3");
  expect_steady(GetParam().stages, mapping(true) + " granularity=mg");
}

TEST(SteadySplit, OnBothSides) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  expect_steady(kApplications[0].stages, "mapping=sss split=37");
  expect_steady(kApplications[1].stages, "mapping=ssssss split=37");
}

TEST(SteadyBands, OnTheDevice) {
  if (!have_opencl_device()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  expect_steady(kApplications[0].stages, "mapping=ggg threads=1 tasks=4");
  expect_steady(kApplications[1].stages, "mapping=gggggg threads=1 tasks=4");
}

INSTANTIATE_TEST_SUITE_P(All, Steady, testing::ValuesIn(kApplications),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tandem::test
