// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/virtual_stage.h"

#include <map>
#include <mutex>
#include <stdexcept>

#include "gst/elements/stageelement.h"

namespace tandem::test {
namespace {

std::mutex installed_mutex;
std::map<std::string, std::weak_ptr<LiveChip>> installed;

class VirtualWork final : public StageWork {
 public:
  VirtualWork(std::shared_ptr<LiveChip> chip, int stage) : chip_(std::move(chip)), stage_(stage) {}

  // Coarse grain computes both rows at once, medium grain one by one.
  int rows() const override { return 2; }

  void compute(StageFrame&, Rows rows) const override {
    if (rows.end - rows.begin == 2) {
      chip_->compute(stage_, LiveChip::Where::core);
    } else if (rows.begin == 0) {
      chip_->compute(stage_, LiveChip::Where::all_cores);
    }
  }

  // The device is held until this returns: it need not be asynchronous.
  void enqueue(StageFrame&, opencl::Queue&) const override {
    chip_->compute(stage_, LiveChip::Where::device);
  }

 private:
  const std::shared_ptr<LiveChip> chip_;
  const int stage_;
};

struct VirtualStage {
  struct Settings {
    std::string chip;
    int stage = 0;
  };

  static constexpr char kTypeName[] = "TandemVirtualStage";
  static constexpr char kLongName[] = "Virtual stage";
  static constexpr char kKlass[] = "Filter/Video";
  static constexpr char kSummary[] = "Waits as long as a stage would take on a described chip";

  static StageDescription description() { return {}; }

  static constexpr Property<Settings> kProperties[] = {
      {"chip", "Chip", "Name of the chip", &Settings::chip},
      {"stage", "Stage", "Which stage of the chip's application", &Settings::stage, 0, 15}};

  std::unique_ptr<VirtualWork> make_work(const Settings& settings, const WorkRequest&) {
    const std::lock_guard lock(installed_mutex);
    auto chip = installed[settings.chip].lock();
    if (!chip) throw std::runtime_error("no chip is called '" + settings.chip + "'");
    return std::make_unique<VirtualWork>(std::move(chip), settings.stage);
  }
};

}  // namespace

GType virtual_stage_get_type() { return StageElement<VirtualStage>::get_type(); }

void install(const std::shared_ptr<LiveChip>& chip) {
  const std::lock_guard lock(installed_mutex);
  installed[chip->chip().name] = chip;
}

}  // namespace tandem::test
