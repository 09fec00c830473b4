// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/own_stages.h"

#include "gst/bin/tandembin.h"
#include "gst/elements/stageelement.h"
#include "kernels/opencl/native.h"

namespace tandem::test {
namespace {

constexpr char kValue[] = "own-value";
constexpr char kSource[] = R"(
__kernel void add(__global const float* in, __global float* out, float plus) {
  out[0] = in[0] + plus;
})";

class StartWork final : public StageWork {
 public:
  StartWork() { outputs_ = {{kValue, GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {1}}}; }
  int rows() const override { return 1; }
  void compute(StageFrame& frame, Rows) const override {
    *frame.output<float>(0) = frame.luma().row(0)[0];
  }
};

struct OwnStart {
  struct Settings {};
  static constexpr char kTypeName[] = "TandemOwnStart";
  static constexpr char kLongName[] = "Start";
  static constexpr char kKlass[] = "Filter/Video";
  static constexpr char kSummary[] = "Reads the first pixel";

  static StageDescription description() { return {.has_opencl = false}; }
  std::unique_ptr<StartWork> make_work(const Settings&, const WorkRequest&) {
    return std::make_unique<StartWork>();
  }
};

class AddWork final : public StageWork {
 public:
  AddWork(int plus, const std::string& to, const std::shared_ptr<opencl::Context>& context)
      : plus_(static_cast<float>(plus)) {
    outputs_ = {{to.c_str(), GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {1}}};
    if (!context) return;
    add_ =
        std::make_unique<opencl::Kernel>(*context, opencl::build_program(*context, kSource), "add");
  }
  int rows() const override { return 1; }
  void compute(StageFrame& frame, Rows) const override {
    *frame.output<float>(0) = *frame.input<float>(0) + plus_;
  }
  void enqueue(StageFrame& frame, opencl::Queue& queue) const override {
    void* const in = frame.device_input(0);
    add_->enqueue(queue, 1, 1, in, frame.device_output(0), plus_);
  }

 private:
  const float plus_;
  std::unique_ptr<opencl::Kernel> add_;
};

struct OwnAdd {
  struct Settings {
    int plus = 1, passes = 1;
    bool cpu = true;
    std::string from = kValue, to = kValue;
  };
  static constexpr char kTypeName[] = "TandemOwnAdd";
  static constexpr char kLongName[] = "Add";
  static constexpr char kKlass[] = "Filter/Video";
  static constexpr char kSummary[] = "Adds a number to a tensor";

  static StageDescription description(const Settings& settings) {
    return {.inputs = {{settings.from.c_str(), "ownstart"}},
            .has_cpu = settings.cpu,
            .repeats_from = "ownadd"};
  }
  static constexpr Property<Settings> kProperties[] = {
      {"plus", "Plus", "What is added", &Settings::plus, 0, 1000},
      {"passes", "Passes", "How often it is added", &Settings::passes, 1, 1000},
      {"cpu", "CPU", "Whether the CPU can compute it", &Settings::cpu},
      {"from", "From", "The tensor that is read", &Settings::from},
      {"to", "To", "The tensor that is made", &Settings::to}};
  static int rounds(const Settings& settings) { return settings.passes; }

  std::unique_ptr<AddWork> make_work(const Settings& settings, const WorkRequest& request) {
    return std::make_unique<AddWork>(settings.plus, settings.to, request.context);
  }
};

class CountWork final : public StageWork {
 public:
  explicit CountWork(std::shared_ptr<int> count) : count_(std::move(count)) {
    outputs_ = {{"own-count", GST_TANDEM_ELEMENT_TYPE_FLOAT32, 1, {1}}};
  }
  int rows() const override { return 1; }
  void compute(StageFrame& frame, Rows) const override {
    *frame.output<float>(0) = static_cast<float>(++*count_);
  }

 private:
  const std::shared_ptr<int> count_;
};

struct OwnCount {
  struct Settings {};
  static constexpr char kTypeName[] = "TandemOwnCount";
  static constexpr char kLongName[] = "Count";
  static constexpr char kKlass[] = "Filter/Video";
  static constexpr char kSummary[] = "Counts frames";

  static StageDescription description() { return {.serial = true, .has_opencl = false}; }
  std::unique_ptr<CountWork> make_work(const Settings&, const WorkRequest&) {
    return std::make_unique<CountWork>(count);
  }
  void restart() { *count = 0; }

  const std::shared_ptr<int> count = std::make_shared<int>(0);
};

}  // namespace

void register_own_stages() {
  gst_element_register(nullptr, "tandembin", GST_RANK_NONE, gst_tandem_bin_get_type());
  gst_element_register(nullptr, "ownstart", GST_RANK_NONE, StageElement<OwnStart>::get_type());
  gst_element_register(nullptr, "owncount", GST_RANK_NONE, StageElement<OwnCount>::get_type());
  gst_element_register(nullptr, "ownadd", GST_RANK_NONE, StageElement<OwnAdd>::get_type());
}

}  // namespace tandem::test
