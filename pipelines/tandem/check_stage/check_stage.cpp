// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <set>

#include "kernels/program_cache/program_cache.h"
#include "pipelines/tandem/check_stage/child_work.h"
#include "pipelines/tandem/check_stage/stage_check.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;
using Role = StageTensor::Role;

constexpr Size kSizes[] = {{1, 1}, {2, 3}, {17, 1}, {64, 48}, {333, 77}, {640, 360}};
// For parameters that are not the defaults: one row, and whole blocks of vectors with borders.
constexpr Size kFewSizes[] = {{17, 1}, {64, 48}};
constexpr std::chrono::milliseconds kTiming{300};
// The longest time for a frame. A first frame may wait for a device's compiler.
constexpr std::chrono::seconds kMost{60}, kMostOfSetting{10};
// Compilers of both sides have two minutes each. Frames whose time is measured are larger than
// those that are compared, and several.
constexpr std::chrono::minutes kMostCompiling{5}, kMostMeasuring{10};

struct CheckOptions {
  std::string path, device = "any", picture;
  Size timed{1920, 1080};
};

template <typename Run>
double fastest_ms(Run&& run) {
  double best = 1e9;
  run();
  for (const auto end = Clock::now() + kTiming; Clock::now() < end;) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return best;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "a frame of 1920x1080"; of a stage whose tensors have the sizes that its file states, these.
std::string timed_shape(const StageRunner& runner, Size size) {
  std::vector<std::string> shapes;
  for (const StageTensor& tensor : runner.plan().tensors) {
    if (tensor.shape.is_plane()) return "a frame of " + to_string(size);
    if (tensor.role != Role::kInput && tensor.role != Role::kOutput) continue;
    std::vector<std::string> sizes;
    for (const int each : tensor.shape.constants) sizes.push_back(std::to_string(each));
    shapes.push_back(tensor.name + "[" + joined(sizes) + "]");
  }
  return "a run over " + joined(shapes);
}

void print_times(const StageRunner& runner, const std::string& device, Size size) {
  const std::string shape = timed_shape(runner, size);
  StageMemory memory = runner.memory(size.width, size.height);
  fill_inputs(memory, Scene::kNoise, 0, nullptr);
  if (runner.has_host())
    std::printf("  one core   %8.3f ms %s\n", fastest_ms([&] { (void)runner.run_host(memory); }),
                shape.c_str());
  if (!runner.has_device()) return;
  fill_inputs(memory, Scene::kNoise, 0, nullptr);
  const double time_ms = fastest_ms([&] {
    runner.enqueue(memory, runner.queue());
    runner.queue().finish();
  });
  std::printf("  device     %8.3f ms %s, without copies (%s)\n", time_ms, shape.c_str(),
              device.c_str());
}

void print_compared(const StageCheck& check, const std::string& device, Size size_of_picture,
                    const std::vector<std::string>& settings) {
  std::vector<std::string> scenes, sizes, few;
  for (const Scene scene : check.scenes()) scenes.emplace_back(name_of(scene));
  for (const Size size : kSizes) sizes.push_back(to_string(size));
  for (const Size size : kFewSizes) few.push_back(to_string(size));
  if (size_of_picture.width > 0) sizes.push_back(to_string(size_of_picture));
  std::printf("  right: %zu frames (%s) of each of %zu sizes (%s)\n", scenes.size(),
              joined(scenes).c_str(), sizes.size(), joined(sizes).c_str());
  if (!settings.empty())
    std::printf("  and of %s with %s\n", joined(few).c_str(), joined(settings).c_str());
  std::vector<std::string> sides;
  if (check.runner().has_host()) {
    sides.emplace_back("the cores with one thread");
    sides.emplace_back(check.runner().plan().has_bands() ? "the cores in bands of rows"
                                                         : "the cores with several threads");
  }
  if (check.runner().has_device()) sides.push_back("the device (" + device + ")");
  std::printf("  compared: %s\n", joined(sides).c_str());
  for (const SeenOutput& output : check.outputs())
    std::printf("  '%s': largest difference %g, tolerance %g\n", output.name.c_str(),
                output.largest_difference, output.tolerance);
  for (const SeenOutput& output : check.outputs())
    if (!(output.least < output.most))
      std::printf(
          "  warning: '%s' is %g in all frames, so nothing else was compared: give "
          "--picture FILE with a picture in which it varies\n",
          output.name.c_str(), output.least);
  if (!check.cast().empty()) std::printf("  warning: %s\n", check.cast().c_str());
}

std::shared_ptr<opencl::Context> open_device(const std::string& selector, std::string& problem) {
  try {
    return opencl::Context::open(selector);
  } catch (const opencl::Error& error) {
    problem = error.what();
    return nullptr;
  }
}

std::optional<GreyImage> read_picture(const std::string& path) {
  if (path.empty()) return {};
  gst_init(nullptr, nullptr);
  return load_photograph(path);
}

void print_notice() {
  const std::string notice = ProgramCache::take_notice();
  if (!notice.empty()) std::fprintf(stderr, "tandem: %s\n", notice.c_str());
}

int compile_file(const StageFile& file, const std::string& device) {
  std::string no_device;
  const auto context = open_device(device, no_device);
  const StageRunner runner(file, context);
  print_notice();
  std::printf("  compiled for %s%s%s\n", runner.has_host() ? "the cores" : "",
              runner.has_host() && runner.has_device() ? " and " : "",
              runner.has_device() ? context->device().name.c_str() : "");
  return 0;
}

/// Compares and prints; leaves out `slow` settings. Returns the exit status.
int check_file(const StageFile& file, const CheckOptions& options, const std::set<int>& slow,
               Doing& doing) {
  doing.begin("compiling", 0, kMostCompiling);
  const std::optional<GreyImage> picture = read_picture(options.picture);
  std::string no_device;
  const auto context = open_device(options.device, no_device);
  if (!context) std::printf("  no device: %s\n", no_device.c_str());
  StageCheck check(file, context, picture ? &*picture : nullptr);
  print_notice();
  const Size picture_size{picture ? picture->width : 0, picture ? picture->height : 0};
  std::vector<Size> sizes(std::begin(kSizes), std::end(kSizes));
  if (picture) sizes.push_back(picture_size);
  const std::vector<StageSetting> settings = settings_of(file);
  std::vector<std::string> compared;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (slow.contains(static_cast<int>(k))) {
      std::printf("  not compared: %s, with which a frame takes longer than %d s\n",
                  settings[k].text.c_str(), static_cast<int>(kMostOfSetting.count()));
      continue;
    }
    if (k > 0) compared.push_back(settings[k].text);
    for (const Size size :
         k == 0 ? sizes : std::vector(std::begin(kFewSizes), std::end(kFewSizes))) {
      const std::string problem = check.compare(size, settings[k], [&](const std::string& frame) {
        doing.begin(frame, static_cast<int>(k), k == 0 ? kMost : kMostOfSetting);
      });
      if (problem.empty()) continue;
      std::printf("  wrong: %s\n", problem.c_str());
      return 1;
    }
  }
  const std::string device = context ? context->device().name : "";
  print_compared(check, device, picture_size, compared);
  doing.begin("measuring", 0, kMostMeasuring);
  print_times(check.runner(), device, options.timed);
  return 0;
}

}  // namespace

int check_stage_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  bool compile_only = false;
  std::string size;
  CheckOptions options;
  OptionParser parser("check-stage",
                      "Compiles a stage file for the cores and the device, compares both on frames "
                      "of noise, shapes and text, with all parameters at their bounds, and reports "
                      "the speed of each (docs/stage-files.md).");
  parser.add("opencl-device", options.device, "NAME",
             "any (the default), or part of a device's name");
  parser.add("picture", options.picture, "FILE", "compare on this picture as well");
  parser.add("size", size, "WxH", "of the frames whose time is measured (1920x1080)");
  parser.add("compile-only", compile_only, "compile both sides, and compare nothing");
  parser.add_operands(paths, "FILE");
  parser.parse(arguments);
  if (paths.size() != 1)
    throw UsageError("check-stage needs one file, as in: tandem check-stage sobel.cl");
  if (!size.empty()) options.timed = parse_size("--size", size);
  std::printf("%s\n", paths[0].c_str());
  const StageFile file = load_stage_file(paths[0]);
  if (compile_only) return compile_file(file, options.device);
  // The code may write anywhere: what it destroys is a process of its own.
  Doing doing;
  std::set<int> slow;
  for (;;) {
    const ChildEnd end =
        run_in_child(doing, [&] { return check_file(file, options, slow, doing); });
    if (end.signal == 0) return end.status;
    const bool is_slow = end.timed_out;
    if (is_slow && doing.step() > 0 && slow.insert(doing.step()).second) continue;
    std::printf("  wrong: the code %s; %s\n",
                is_slow
                    ? ("takes longer than " + std::to_string(doing.most().count()) + " s").c_str()
                    : ("crashes: " + std::string(strsignal(end.signal))).c_str(),
                doing.text().c_str());
    return 1;
  }
}

}  // namespace tandem
