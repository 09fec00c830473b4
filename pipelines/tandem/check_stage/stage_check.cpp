// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/check_stage/stage_check.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string_view>

#include "kernels/stage_file/parse/directive.h"
#include "pipelines/formatted.h"

namespace tandem {
namespace {

using Access = opencl::Buffer::Access;
using Role = StageTensor::Role;

constexpr std::string_view kByte = "'unsigned char'";  // as compilers name it
constexpr int kThreads = 3;  // that share steps which have no bands: more than cores take turns

double value_of(const StageTensor& tensor, const void* data, std::size_t i) {
  switch (tensor.type) {
    case ElementType::kUint8:
      return static_cast<const uint8_t*>(data)[i];
    case ElementType::kInt32:
      return static_cast<const int*>(data)[i];
    default:
      return static_cast<const float*>(data)[i];
  }
}

bool is_result(const StageTensor& tensor) {
  return tensor.role == Role::kOutput || tensor.role == Role::kLumaOut;
}

// "'to' at (3, 2)" of a plane, "'bins[7]'" of another tensor.
std::string place_of(const StageMemory& memory, std::size_t tensor, std::size_t element) {
  const std::string& name = memory.tensor(tensor).name;
  if (!memory.tensor(tensor).shape.is_plane())
    return "'" + name + "[" + std::to_string(element) + "]'";
  const auto columns = static_cast<std::size_t>(memory.view(tensor, nullptr).width);
  return "'" + name + "' at (" + std::to_string(element % columns) + ", " +
         std::to_string(element / columns) + ")";
}

// A frequent cause of a different output, as a part of a sentence; empty: none is known.
std::string advice(const StageFile& file, const StageTensor& tensor, double away) {
  constexpr double kLastBits = 1e-4;
  if (tensor.type == ElementType::kFloat32 && away < kLastBits)
    return ": sums of floats, exp() and others differ in the last bits, so WRITE needs a tolerance";
  for (const StagePart& part : file.parts)
    for (const StageWrite& write : part.writes)
      if (write.name == tensor.name && part.skeleton == StagePart::Skeleton::kReduce)
        return part.combine.text.empty()
                   ? ": without COMBINE the results of a REDUCE are added to each other"
                   : ": a REDUCE visits its elements in any order; on a tie it must select the "
                     "same one in each order";
  return {};
}

std::vector<int> random_bands(int rows, std::mt19937& random) {
  std::vector<int> bands{0};
  for (int row = 1; row < rows; ++row)
    if (random() % 3 == 0) bands.push_back(row);
  return bands;
}

StageValue value_of(const StageParameter& parameter, double number) {
  StageParameter at = parameter;
  at.initial = parameter.type == StageParameter::Type::kFloat ? number : std::floor(number);
  return initial_value(at);
}

std::string text_of(const StageParameter& parameter, const StageValue& value) {
  if (parameter.type == StageParameter::Type::kBool)
    return parameter.name + (value.whole ? "=true" : "=false");
  if (parameter.type == StageParameter::Type::kFloat)
    return parameter.name + formatted("=%.9g", static_cast<double>(value.real));
  return parameter.name + formatted("=%d", value.whole);
}

// The file with the code of the device for the cores; none where that is the same.
std::vector<StageFile> with_device_code(const StageFile& file) {
  StageFile other = file;
  other.only.reset();
  bool differs = file.only == StageSide::kDevice;
  for (StagePart& part : other.parts) {
    differs |= part.cpu_body || part.device_body;
    part.cpu_body = part.device_body;
  }
  if (!differs || file.only == StageSide::kCpu) return {};
  return {std::move(other)};
}

}  // namespace

std::vector<StageSetting> settings_of(const StageFile& file) {
  StageSetting defaults;
  for (const StageParameter& p : file.parameters) defaults.values.push_back(initial_value(p));
  std::vector<StageSetting> all{defaults};
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const StageParameter& p = file.parameters[i];
    std::vector<int> seen{defaults.values[i].whole};  // the bits of a float
    for (const double number : {p.least, (p.least + p.most) / 2, p.most}) {
      const StageValue value = value_of(p, number);
      if (std::ranges::find(seen, value.whole) != seen.end()) continue;
      seen.push_back(value.whole);
      StageSetting setting = defaults;
      setting.values[i] = value;
      setting.text = text_of(p, value);
      all.push_back(std::move(setting));
    }
  }
  return all;
}

void fill_inputs(StageMemory& memory, Scene scene, unsigned seed, const GreyImage* picture) {
  for (std::size_t i = 0; i < memory.tensors(); ++i) {
    const StageTensor& tensor = memory.tensor(i);
    if (tensor.role != Role::kPixels && tensor.role != Role::kInput) continue;
    const StageView view = memory.view(i, nullptr);
    const std::vector<uint8_t> levels =
        levels_of(scene, seed + static_cast<unsigned>(i), view.width, view.height, picture);
    if (tensor.type == ElementType::kUint8) memory.set(i, levels.data());
    if (tensor.type == ElementType::kInt32)
      memory.set(i, std::vector<int>(levels.begin(), levels.end()).data());
    if (tensor.type == ElementType::kFloat32) {
      std::vector<float> values;
      for (const uint8_t level : levels) values.push_back(static_cast<float>(level) / 255);
      memory.set(i, values.data());
    }
  }
}

StageCheck::StageCheck(const StageFile& file, std::shared_ptr<opencl::Context> context,
                       const GreyImage* picture)
    : runner_(file, std::move(context)),
      picture_(picture),
      scenes_{Scene::kNoise, Scene::kNoise, Scene::kGradient, Scene::kEdges,
              Scene::kBlobs, Scene::kText,  Scene::kBlack,    Scene::kWhite} {
  if (picture) scenes_.push_back(Scene::kPicture);
  if (runner_.has_host())
    checked_.push_back({"", std::make_unique<StageRunner>(file, nullptr, true)});
  for (const StageFile& other : with_device_code(file)) {
    try {
      checked_.push_back(
          {"the device's code: ", std::make_unique<StageRunner>(other, nullptr, true)});
    } catch (const std::runtime_error&) {
      // It uses what OpenCL C alone has, or there is no compiler.
    }
  }
  for (const StageTensor& tensor : runner_.plan().tensors)
    if (is_result(tensor)) outputs_.push_back({tensor.name, tensor.tolerance});
}

/// Frames of one size, one after the other.
class StageCheck::Frames {
 public:
  Frames(StageCheck& check, Size size, const StageSetting& setting)
      : check_(check),
        runner_(check.runner_),
        size_(size),
        setting_(setting),
        whole_(memory(runner_)),
        bands_(memory(runner_)),
        device_(memory(runner_)) {
    for (const Checked& each : check.checked_) checked_.push_back(memory(*each.runner));
  }

  std::string all(const std::function<void(const std::string&)>& begin) {
    for (std::size_t k = 0; k < check_.scenes_.size(); ++k) {
      const std::string frame = "frame " + std::to_string(k + 1) + " of " + to_string(size_) +
                                " (" + name_of(check_.scenes_[k]) + ")" +
                                (setting_.text.empty() ? "" : ", " + setting_.text);
      begin(frame);
      std::string problem = one(check_.scenes_[k], static_cast<unsigned>(k));
      if (!problem.empty()) return problem + "; " + frame;
      if (const std::string cast = first_cast(); check_.cast_.empty() && !cast.empty())
        check_.cast_ = cast + "; " + frame;
    }
    return {};
  }

 private:
  StageMemory memory(const StageRunner& runner) const {
    StageMemory memory = runner.memory(size_.width, size_.height);
    memory.set_parameters(setting_.values);
    return memory;
  }

  std::string one(Scene scene, unsigned seed) {
    std::string problem;
    for (std::size_t i = 0; i < checked_.size() && problem.empty(); ++i) {
      fill_inputs(checked_[i], scene, seed, check_.picture_);
      const Checked& build = check_.checked_[i];
      problem = build.runner->run_host(checked_[i]);
      if (problem.empty()) problem = reach(checked_[i], build.runner->plan());
      if (!problem.empty()) problem = build.what + problem;
    }
    if (problem.empty() && runner_.has_host()) problem = cores(scene, seed);
    if (problem.empty() && runner_.has_device()) problem = device(scene, seed);
    if (problem.empty()) see(runner_.has_host() ? whole_ : device_);
    return problem;
  }

  std::string first_cast() const {
    for (std::size_t i = 0; i < checked_.size(); ++i) {
      const StageCast& at = checked_[i].cast;
      if (!at.file) continue;
      return check_.checked_[i].what +
             at_line(at.file, static_cast<int>(at.line), static_cast<int>(at.column),
                     formatted("%.6g", at.value) + " is beyond " + at.type +
                         ", and devices convert it differently" +
                         (at.type == kByte ? ": convert_uchar_sat() keeps it within" : ""));
    }
    return {};
  }

  std::string cores(Scene scene, unsigned seed) {
    const auto bands = [&](StageMemory& memory) {
      return runner_.plan().has_bands()
                 ? runner_.run_host(memory, random_bands(runner_.host_rows(memory), random_))
                 : runner_.run_threads(memory, kThreads);
    };
    std::string problem = run(whole_, StageSide::kCpu, scene, seed,
                              [&](StageMemory& memory) { return runner_.run_host(memory); });
    if (problem.empty()) problem = run(bands_, StageSide::kCpu, scene, seed, bands);
    if (!problem.empty()) return problem;
    return difference(whole_, bands_, "outputs depend on the bands of rows: ", "in one band",
                      "in several");
  }

  std::string device(Scene scene, unsigned seed) {
    const std::string problem =
        run(device_, StageSide::kDevice, scene, seed,
            [&](StageMemory& memory) { return runner_.run_device(memory); });
    if (!problem.empty() || !runner_.has_host()) return problem;
    return difference(whole_, device_, "the cores and the device differ: ", "on the cores",
                      "on the device");
  }

  template <typename Run>
  std::string run(StageMemory& memory, StageSide side, Scene scene, unsigned seed, Run&& run) {
    fill_inputs(memory, scene, seed, check_.picture_);
    runner_.guard(memory);
    std::string problem = run(memory);
    return problem.empty() ? runner_.overwritten(memory, side) : problem;
  }

  // A halo that is too small: reads beyond it give what is at its edge.
  static std::string reach(const StageMemory& memory, const StagePlan& plan) {
    for (const StageStep& step : plan.steps) {
      for (const StagePlanPart& part : step.parts) {
        for (const StageAccess& read : part.reads) {
          if (read.kind != StageAccess::Kind::kPlane) continue;
          const int reach = memory.reach[static_cast<std::size_t>(read.tensor)];
          if (reach > read.halo)
            return "'" + read.name + "' is read " + std::to_string(reach) +
                   " elements away, but its halo is " + std::to_string(read.halo);
        }
      }
    }
    return {};
  }

  // The first element in which two runs differ by more than the file allows; empty: none.
  std::string difference(StageMemory& a, StageMemory& b, const char* what, const char* of_a,
                         const char* of_b) {
    auto seen = check_.outputs_.begin();
    for (std::size_t i = 0; i < a.tensors(); ++i) {
      const StageTensor& tensor = a.tensor(i);
      if (!is_result(tensor)) continue;
      SeenOutput& output = *seen++;
      const void* const one = a.buffer(i).host(Access::read);
      const void* const other = b.buffer(i).host(Access::read);
      for (std::size_t k = 0; k < a.bytes(i) / bytes_of(tensor.type); ++k) {
        const double x = value_of(tensor, one, k), y = value_of(tensor, other, k);
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        const double away = std::fabs(x - y) / std::max({1.0, std::fabs(x), std::fabs(y)});
        if (!(away <= tensor.tolerance)) {
          return what + place_of(a, i, k) +
                 formatted(" is %.9g %s and %.9g %s (tolerance %g)", x, of_a, y, of_b,
                           tensor.tolerance) +
                 advice(runner_.file(), tensor, away);
        }
        output.largest_difference = std::max(output.largest_difference, away);
      }
    }
    return {};
  }

  void see(StageMemory& memory) {
    auto seen = check_.outputs_.begin();
    for (std::size_t i = 0; i < memory.tensors(); ++i) {
      const StageTensor& tensor = memory.tensor(i);
      if (!is_result(tensor)) continue;
      SeenOutput& output = *seen++;
      const void* const data = memory.buffer(i).host(Access::read);
      for (std::size_t k = 0; k < memory.bytes(i) / bytes_of(tensor.type); ++k) {
        const double value = value_of(tensor, data, k);
        output.least = std::min(output.least, value);
        output.most = std::max(output.most, value);
      }
    }
  }

  StageCheck& check_;
  const StageRunner& runner_;
  const Size size_;
  const StageSetting& setting_;
  StageMemory whole_, bands_, device_;
  std::vector<StageMemory> checked_;
  std::mt19937 random_{7};
};

std::string StageCheck::compare(Size size, const StageSetting& setting,
                                const std::function<void(const std::string&)>& begin) {
  return Frames(*this, size, setting).all(begin);
}

}  // namespace tandem
