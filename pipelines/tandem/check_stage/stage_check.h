// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "kernels/stage_file/run/stage_runner.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/training/dataset/photograph.h"

namespace tandem {

/// The contents of planes in check-stage. Noise alone has no smooth areas and no mean far from the
/// middle, so that code behind a threshold may never run on it.
enum class Scene { kNoise, kGradient, kEdges, kBlobs, kText, kBlack, kWhite, kPicture };
const char* name_of(Scene scene);

/// Levels of a plane, rows without gaps. Planes of other seeds look different. `picture`, which
/// kPicture needs, is scaled to the plane.
std::vector<uint8_t> levels_of(Scene scene, unsigned seed, int width, int height,
                               const GreyImage* picture);

/// Values of all parameters of a stage file.
struct StageSetting {
  std::string text;  ///< the one that is not the default: "gain=10"; empty: none
  std::vector<StageValue> values;
};
/// The defaults, and then each parameter at least, between and at most, the others at their
/// defaults.
std::vector<StageSetting> settings_of(const StageFile& file);

/// The values of an output that a check saw in all frames.
struct SeenOutput {
  std::string name;
  double tolerance = 0;
  double largest_difference = 0;  ///< between the sides, relative above 1
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};

/// Compares the ways in which a stage file's frames can be computed.
class StageCheck {
 public:
  /// Compiles. `context` and `picture` may be null. Throws StageFileError.
  StageCheck(const StageFile& file, std::shared_ptr<opencl::Context> context,
             const GreyImage* picture);

  /// The fault found with frames of one size; empty: none. `begin` is called with the next step.
  std::string compare(Size size, const StageSetting& setting,
                      const std::function<void(const std::string&)>& begin);

  const StageRunner& runner() const { return runner_; }
  const std::vector<Scene>& scenes() const { return scenes_; }
  const std::vector<SeenOutput>& outputs() const { return outputs_; }
  /// The first float that does not fit the number that it becomes, and its frame; empty: none.
  const std::string& cast() const { return cast_; }

 private:
  class Frames;
  /// A build that says how far planes are read and which floats do not fit, and stops before an
  /// index that is outside.
  struct Checked {
    std::string what;
    std::unique_ptr<StageRunner> runner;
  };

  const StageRunner runner_;
  std::vector<Checked> checked_;
  const GreyImage* const picture_;
  std::vector<Scene> scenes_;
  std::vector<SeenOutput> outputs_;
  std::string cast_;
};

/// Fills all inputs of a stage.
void fill_inputs(StageMemory& memory, Scene scene, unsigned seed, const GreyImage* picture);

}  // namespace tandem
