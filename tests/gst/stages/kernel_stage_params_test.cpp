// SPDX-License-Identifier: LGPL-2.1-or-later
// The parameters of a kernelstage: properties of its child params.
#include <gst/controller/gstdirectcontrolbinding.h>
#include <gst/controller/gstinterpolationcontrolsource.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <barrier>
#include <fstream>
#include <thread>

#include "tests/gst/support/decisions.h"
#include "tests/gst/support/parse_line.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

constexpr Size kSize{48, 20};
constexpr int kFrames = 6;

/// A stage file that writes luma plus the parameter, as a tensor with the name of the file.
std::string file_of(const std::string& name, const std::string& parameter,
                    const std::string& range) {
  const std::string path = temporary_folder() + "/" + name + ".cl";
  std::ofstream(path) << "//!STAGE " << name << "\n//!PARAM " << parameter << " " << range
                      << " What is added\n//!READ luma\n//!WRITE sum float32 as=" << name
                      << "\n//!MAP\nsum = luma(0, 0) + " << parameter << ";\n";
  return path;
}

std::string whole_file() {
  static const std::string path = file_of("whole", "plus", "int 3 0..100");
  return path;
}
std::string real_file() {
  static const std::string path = file_of("real", "plus", "float 0.5 0..1");
  return path;
}

void expect_sums(const std::vector<Result>& results, float plus, const char* name = "whole") {
  ASSERT_FALSE(results.empty());
  for (const Result& result : results) {
    const auto& sum = result.tensors.at(name);
    ASSERT_EQ(sum.size(), result.pixels.size());
    for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], result.pixels[i] + plus);
  }
}

/// None where the stage has no file.
ObjectRef<GObject> params_of(GstElement* stage) {
  return ObjectRef<GObject>(gst_child_proxy_get_child_by_name(GST_CHILD_PROXY(stage), "params"));
}

template <typename Value>
Value value_of(GstElement* stage, const std::string& parameter) {
  Value value{};
  gst_child_proxy_get(GST_CHILD_PROXY(stage), ("params::" + parameter).c_str(), &value, nullptr);
  return value;
}

void set_plus(GstElement* stage, int plus) {
  gst_child_proxy_set(GST_CHILD_PROXY(stage), "params::plus", plus, nullptr);
}

TEST(KernelStageParams, StandBeforeOrAfterTheFile) {
  for (const std::string& line : {"params::plus=7 location=" + whole_file(),
                                  "location=" + whole_file() + " params::plus=7"}) {
    SCOPED_TRACE(line);
    Stream stream("kernelstage device=cpu " + line, kSize);
    expect_sums(stream.run(kFrames), 7);
  }
}

// gst_parse_launch() keeps the value until there is a child with this name.
TEST(KernelStageParams, OfALineWaitForTheFile) {
  Stream stream("kernelstage name=stage device=cpu params::plus=7", kSize);
  GstElement* const stage = stream.element("stage");
  EXPECT_FALSE(params_of(stage));
  g_object_set(stage, "location", whole_file().c_str(), nullptr);
  expect_sums(stream.run(kFrames), 7);
}

TEST(KernelStageParams, OfOneNameHaveTheTypeThatTheFileStates) {
  Stream stream("kernelstage name=a device=cpu location=" + whole_file() +
                    " params::plus=7 ! kernelstage name=b device=cpu location=" + real_file() +
                    " params::plus=0.25",
                kSize);
  for (const auto& [name, type] : {std::pair{"a", G_TYPE_INT}, {"b", G_TYPE_DOUBLE}}) {
    const auto params = params_of(stream.element(name));
    ASSERT_TRUE(params);
    GParamSpec* const spec = g_object_class_find_property(G_OBJECT_GET_CLASS(params.get()), "plus");
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->value_type, type) << name;
    EXPECT_STREQ(g_param_spec_get_blurb(spec), "What is added");
  }
  const auto results = stream.run(kFrames);
  expect_sums(results, 7);
  expect_sums(results, 0.25F, "real");
}

TEST(KernelStageParams, OfNamesWithUnderscores) {
  Stream stream("kernelstage device=cpu location=" +
                    file_of("underscored", "at_least", "int 3 0..100") + " params::at_least=7",
                kSize);
  expect_sums(stream.run(kFrames), 7, "underscored");
}

TEST(KernelStageParams, ChangeBetweenTwoFrames) {
  for (const std::string& stages :
       {"kernelstage name=stage location=" + whole_file(),
        bin_of("kernelstage name=stage location=" + whole_file(), "keep-tensors=true")}) {
    SCOPED_TRACE(stages);
    Stream stream(stages, kSize);
    stream.play();
    stream.push(0, 1);
    expect_sums(stream.pull(1), 3);
    set_plus(stream.element("stage"), 20);
    stream.push(1, 2);
    expect_sums(stream.pull(1), 20);
    EXPECT_EQ(value_of<int>(stream.element("stage"), "plus"), 20);
  }
}

// They are no part of the work that the bin learns of.
TEST(KernelStageParams, AChangeIsNoReasonToDecideAnew) {
  Stream stream("tandembin adapt=caps keep-tensors=true stages=\"kernelstage name=stage location=" +
                    whole_file() + "\"",
                kSize);
  stream.play();
  for (int i = 0; i < kFrames; ++i) {
    set_plus(stream.element("stage"), i);
    stream.push(i, i + 1);
    expect_sums(stream.pull(1), static_cast<float>(i));
  }
  for (const Told& decision : told(stream)) EXPECT_EQ(decision.reason, "start");
}

TEST(KernelStageParams, FollowAController) {
  Stream stream("kernelstage name=stage device=cpu location=" + whole_file(), kSize);
  const auto params = params_of(stream.element("stage"));
  GstObject* const object = GST_OBJECT(params.get());
  GstControlSource* const source = gst_interpolation_control_source_new();
  g_object_set(source, "mode", GST_INTERPOLATION_MODE_LINEAR, nullptr);
  auto* const values = GST_TIMED_VALUE_CONTROL_SOURCE(source);
  gst_timed_value_control_source_set(values, 0, 10);
  gst_timed_value_control_source_set(values, 2 * GST_SECOND, 30);
  ASSERT_TRUE(gst_object_add_control_binding(
      object, gst_direct_control_binding_new_absolute(object, "plus", source)));
  gst_object_unref(source);
  gst_object_sync_values(object, GST_SECOND);
  expect_sums(stream.run(kFrames), 20);
}

TEST(KernelStageParams, AnotherFileHasOthers) {
  Stream stream("kernelstage name=stage device=cpu location=" + whole_file() + " params::plus=9",
                kSize);
  GstElement* const stage = stream.element("stage");
  const auto before = params_of(stage);
  g_object_set(stage, "location", real_file().c_str(), nullptr);
  EXPECT_EQ(value_of<double>(stage, "plus"), 0.5);
  g_object_set(before.get(), "plus", 50, nullptr);  // of no stage any more
  EXPECT_EQ(gst_object_get_parent(GST_OBJECT(before.get())), nullptr);
  g_object_set(stage, "location", "/nonexistent.cl", nullptr);
  EXPECT_FALSE(params_of(stage));
  g_object_set(stage, "location", whole_file().c_str(), nullptr);
  EXPECT_EQ(value_of<int>(stage, "plus"), 3) << "a file begins with its defaults";
  set_plus(stage, 4);
  expect_sums(stream.run(kFrames), 4);
}

TEST(KernelStageParams, AFileThatIsGoneBeforeItPlaysIsAnError) {
  Stream stream("kernelstage name=stage device=cpu location=" + whole_file(), kSize);
  GstElement* const stage = stream.element("stage");
  ASSERT_EQ(gst_element_set_state(stage, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  g_object_set(stage, "location", "/nonexistent.cl", nullptr);
  EXPECT_EQ(gst_element_set_state(stage, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  EXPECT_NE(stream.messages.wait(GST_MESSAGE_ERROR).text.find("/nonexistent.cl"),
            std::string::npos);
}

TEST(KernelStageParams, GoWithTheirStage) {
  gpointer first = nullptr, second = nullptr;
  const auto watch = [](GstElement* stage, gpointer& params) {
    params = params_of(stage).get();
    g_object_add_weak_pointer(G_OBJECT(params), &params);
  };
  {
    Stream stream("kernelstage name=stage device=cpu", kSize);
    GstElement* const stage = stream.element("stage");
    g_object_set(stage, "location", real_file().c_str(), nullptr);
    watch(stage, first);
    g_object_set(stage, "location", whole_file().c_str(), nullptr);
    EXPECT_EQ(first, nullptr);
    watch(stage, second);
    gst_child_proxy_set(GST_CHILD_PROXY(stage), "params::plus", 7, nullptr);
    expect_sums(stream.run(kFrames), 7);
    EXPECT_NE(second, nullptr);
  }
  EXPECT_EQ(second, nullptr);
}

TEST(KernelStageParams, OutliveTheirStage) {
  ObjectRef<GObject> params;
  {
    Stream stream("kernelstage name=stage location=" + whole_file(), kSize);
    params = params_of(stream.element("stage"));
  }
  g_object_set(params.get(), "plus", 8, nullptr);
  int plus = 0;
  g_object_get(params.get(), "plus", &plus, nullptr);
  EXPECT_EQ(plus, 8);
}

TEST(KernelStageParams, TheParserSaysWhichIsWrong) {
  const auto problem_of = [](const char* setting) {
    GError* error = nullptr;
    const std::string line = "kernelstage name=stage location=" + whole_file() + " " + setting;
    EXPECT_FALSE(parse_line(line, GST_PARSE_FLAG_FATAL_ERRORS, &error)) << line;
    const std::string problem = error ? error->message : "";
    g_clear_error(&error);
    return problem;
  };
  EXPECT_EQ(
      problem_of("params::plus=much"),
      "could not set property \"params::plus\" in child of element \"kernelstage\" to \"much\"");
  EXPECT_EQ(problem_of("params::unheard=1"),
            "no property \"params::unheard\" in element \"stage\"");
  EXPECT_EQ(problem_of("plus=1"), "no property \"plus\" in element \"kernelstage\"");
}

TEST(KernelStageParams, HaveNamesOfTheirOwn) {
  for (const std::string name : {"opencl_device", "code"}) {
    const std::string path = file_of("taken", name, "int 3 0..100");
    Stream stream("kernelstage name=stage location=" + path, kSize);
    EXPECT_FALSE(params_of(stream.element("stage"))) << name;
    stream.play();
    EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
              path + ":2:1: the parameter name '" + name + "' is reserved");
  }
}

TEST(KernelStageParams, TheBinSaysHowTheyAreWritten) {
  const std::string stages = "vividfilter ! kernelstage location=" + whole_file() + " plus=7";
  Stream stream("tandembin stages=\"" + stages + "\"", kSize);
  stream.play();
  EXPECT_EQ(stream.messages.wait(GST_MESSAGE_ERROR).text,
            "The stages \"" + stages +
                "\" cannot be created: no property \"plus\" in element \"kernelstage\". "
                "Properties of its children are written as in params::plus=7.");
}

/// Warnings of GLib end the process while it lives, and so does worse.
class NoWarnings {
 public:
  NoWarnings()
      : before_(g_log_set_always_fatal(static_cast<GLogLevelFlags>(
            G_LOG_FATAL_MASK | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))) {}
  ~NoWarnings() { g_log_set_always_fatal(before_); }

 private:
  const GLogLevelFlags before_;
};

/// Parses a line with this file, and says how often the parameter was what the line says.
int parse(std::barrier<>& together, const std::vector<std::string>& files, bool whole) {
  int right = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const int plus = whole ? static_cast<int>(i) : 0;
    const std::string parameter = "params::plus=" + (whole ? std::to_string(plus) : "0.25");
    const std::string line = "kernelstage location=" + files[i] + " " + parameter;
    together.arrive_and_wait();
    GstElement* const stage = parse_line(line, GST_PARSE_FLAG_NONE, nullptr);
    if (!stage) continue;
    gst_object_ref_sink(stage);
    right += whole ? value_of<int>(stage, "plus") == plus : value_of<double>(stage, "plus") == 0.25;
    gst_object_unref(stage);
  }
  return right;
}

constexpr int kTimes = 100;

std::vector<int> parse_at_once(const std::vector<std::string>& first, bool first_whole,
                               const std::vector<std::string>& second, bool second_whole) {
  const NoWarnings no_warnings;
  std::barrier together(2);
  std::vector<int> right(2);
  std::thread other([&] { right[1] = parse(together, second, second_whole); });
  right[0] = parse(together, first, first_whole);
  other.join();
  return right;
}

TEST(KernelStageParams, TwoLinesWithOneFileAtATime) {
  const std::vector<std::string> files(kTimes, whole_file());
  EXPECT_EQ(parse_at_once(files, true, files, true), std::vector<int>(2, kTimes));
}

TEST(KernelStageParams, TwoLinesWithTwoFilesAtATime) {
  EXPECT_EQ(parse_at_once(std::vector<std::string>(kTimes, whole_file()), true,
                          std::vector<std::string>(kTimes, real_file()), false),
            std::vector<int>(2, kTimes));
}

// Each file has a set of parameters that no line has had before: both threads make its class.
TEST(KernelStageParams, TwoLinesWithNewParametersAtATime) {
  std::vector<std::string> wholes, reals;
  for (int i = 0; i < kTimes; ++i) {
    const std::string number = std::to_string(i);
    wholes.push_back(file_of("whole" + number, "plus", "int 3 0.." + std::to_string(200 + i)));
    reals.push_back(file_of("real" + number, "plus", "float 0.5 0.." + std::to_string(2 + i)));
  }
  EXPECT_EQ(parse_at_once(wholes, true, wholes, true), std::vector<int>(2, kTimes));
  EXPECT_EQ(parse_at_once(wholes, true, reals, false), std::vector<int>(2, kTimes));
}

TEST(KernelStageParams, OneSetIsOneClass) {
  const std::string copy = file_of("copy", "plus", "int 3 0..100");
  Stream stream("kernelstage name=a location=" + whole_file() + " ! kernelstage name=b location=" +
                    copy + " ! kernelstage name=c location=" + real_file(),
                kSize);
  const auto type_of = [&](const char* name) {
    return G_OBJECT_TYPE(params_of(stream.element(name)).get());
  };
  EXPECT_EQ(type_of("a"), type_of("b"));
  EXPECT_NE(type_of("a"), type_of("c"));
}

}  // namespace
}  // namespace tandem::test
