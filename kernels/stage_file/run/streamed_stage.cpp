// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/streamed_stage.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <map>

#include "kernels/opencl/native.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_kernels.h"

namespace tandem {

/// The OpenCL objects behind StreamDevice.
struct StreamDevice::Native {
  std::shared_ptr<opencl::Context> context;  ///< wraps `contexts`, for the whole device
  cl::Context contexts;                      ///< for the device and its groups of cores
  cl::Device root;
  std::map<int, std::vector<cl::Device>> groups;  ///< by their number
  std::map<int, std::vector<cl::CommandQueue>> queues;
  std::vector<cl::CommandQueue> timed;

  std::vector<cl::CommandQueue>& lanes(int partitions);
  std::vector<cl::CommandQueue>& timed_lane();  ///< one lane, with profiling
};

namespace {

constexpr int kMostLanes = 16;

// Sub-devices of sizes as equal as can be; empty when the runtime does not cut this device so.
std::vector<cl::Device> groups_of(const cl::Device& device, int cores, int groups) {
  std::vector<cl_device_partition_property> counts{CL_DEVICE_PARTITION_BY_COUNTS};
  for (int k = 0; k < groups; ++k) counts.push_back(cores * (k + 1) / groups - cores * k / groups);
  counts.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  counts.push_back(0);
  std::vector<cl::Device> made;
  try {
    cl::Device(device).createSubDevices(counts.data(), &made);
  } catch (const cl::Error&) {
    made.clear();
  }
  return made;
}

using Kind = StreamCommand::Kind;
using Role = StageTensor::Role;
using Skeleton = StagePart::Skeleton;

}  // namespace

StreamDevice::StreamDevice(const std::string& selector) : native_(new Native) {
  const auto chosen = opencl::Context::open(selector);
  native_->root = chosen->native().at(0).device;
  const int cores = static_cast<int>(chosen->device().compute_units);
  std::vector<cl::Device> all{native_->root};
  for (int groups = 2; chosen->device().is_cpu && groups <= std::min(cores, kMostLanes);
       groups *= 2) {
    const auto made = groups_of(native_->root, cores, groups);
    if (made.empty()) break;
    native_->groups[groups] = made;
    all.insert(all.end(), made.begin(), made.end());
  }
  opencl::checked("open " + chosen->device().name, [&] {
    try {
      native_->contexts = cl::Context(all);
      for (const auto& [count, devices] : native_->groups) native_->lanes(count);
    } catch (const cl::Error&) {
      if (native_->groups.empty()) throw;
      native_->groups.clear();
      native_->queues.clear();
      native_->contexts = cl::Context(native_->root);
    }
  });
  native_->context = opencl::Context::wrap(native_->contexts(), native_->root());
}

StreamDevice::~StreamDevice() = default;

const opencl::DeviceDescription& StreamDevice::description() const {
  return native_->context->device();
}

bool StreamDevice::has_own_cores(int partitions) const {
  return native_->groups.contains(partitions);
}

int StreamDevice::most_partitions() const {
  return description().is_cpu
             ? std::clamp(static_cast<int>(description().compute_units), 1, kMostLanes)
             : kMostLanes;
}

std::vector<cl::CommandQueue>& StreamDevice::Native::lanes(int partitions) {
  auto& made = queues[partitions];
  const auto own = groups.find(partitions);
  for (int k = static_cast<int>(made.size()); k < partitions; ++k)
    made.emplace_back(contexts,
                      own == groups.end() ? root : own->second[static_cast<std::size_t>(k)]);
  return made;
}

std::vector<cl::CommandQueue>& StreamDevice::Native::timed_lane() {
  if (timed.empty()) timed.emplace_back(contexts, root, CL_QUEUE_PROFILING_ENABLE);
  return timed;
}

struct StreamedStage::Private {
  StreamDevice& device;
  const StageFile file;
  const StageDependencies dependencies;
  const StagePlan plan = plan_stage(file);
  const int width, height;
  const StageKernels kernels;
  std::vector<cl::Buffer> buffers, pinned;  // by tensor; `pinned` is mapped
  std::vector<void*> hosts;
  std::vector<StageValue> parameters;

  Private(StreamDevice& on, const StageFile& from, StageDependencies given, int w, int h)
      : device(on),
        file(from),
        dependencies(std::move(given)),
        width(w),
        height(h),
        kernels(*device.native().context, file, plan) {
    opencl::checked("make the memory of '" + file.name + "'", [&] {
      for (std::size_t i = 0; i < plan.tensors.size(); ++i) add_memory(i);
    });
    for (const StageParameter& p : file.parameters) parameters.push_back(initial_value(p));
  }

  ~Private() {
    for (std::size_t i = 0; i < hosts.size(); ++i)
      if (hosts[i]) clEnqueueUnmapMemObject(queue()(), pinned[i](), hosts[i], 0, nullptr, nullptr);
    clFinish(queue()());
  }

  cl::CommandQueue& queue() { return device.native().lanes(1)[0]; }

  StageView view(std::size_t i) {
    return view_of(plan.tensors[i], width, height, buffers.size() > i ? buffers[i]() : nullptr);
  }
  std::size_t bytes(std::size_t i) { return bytes_of(plan.tensors[i], view(i)); }

  void add_memory(std::size_t i) {
    const std::size_t size = bytes(i);
    const Role role = plan.tensors[i].role;
    const bool crosses = role == Role::kPixels || role == Role::kInput || role == Role::kOutput ||
                         role == Role::kLumaOut;
    const cl::Context& context = device.native().contexts;
    buffers.emplace_back(context, CL_MEM_READ_WRITE, size);
    queue().enqueueFillBuffer(buffers.back(), cl_uchar{0}, 0, size);
    pinned.emplace_back();
    hosts.push_back(nullptr);
    if (crosses) {
      pinned.back() = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size);
      hosts.back() =
          queue().enqueueMapBuffer(pinned.back(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size);
      std::memset(hosts.back(), 0, size);
    }
    queue().finish();
  }

  ReduceSizes sizes_of(std::size_t k, const StageCall& call) const {
    return reduce_sizes(kernels, plan, k, call, stream_blocks(call.rows));
  }

  // State that the commands of a run share, and the state of each.
  class Run;
};

class StreamedStage::Private::Run {
 public:
  Run(Private& stage, std::vector<cl::CommandQueue>& lanes, const StreamCommands& commands)
      : stage_(stage), lanes_(lanes), commands_(commands.all), events_(commands.all.size()) {
    for (std::size_t i = 0; i < stage.plan.tensors.size(); ++i) views_.push_back(stage.view(i));
    has_waiters_.resize(commands_.size());
    for (const StreamCommand& command : commands_)
      for (const int wait : command.waits) has_waiters_[static_cast<std::size_t>(wait)] = true;
  }

  // Lanes hand over what they have before another lane may wait for it.
  void enqueue_all(bool keep_events) {
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      enqueue(i, keep_events);
      if (i + 1 == commands_.size() || commands_[i + 1].lane != commands_[i].lane)
        lane(commands_[i]).flush();
    }
  }
  void finish() {
    for (cl::CommandQueue& lane : lanes_) lane.finish();
  }
  cl::Event& event(std::size_t i) { return events_[i]; }

 private:
  cl::CommandQueue& lane(const StreamCommand& command) {
    return lanes_[static_cast<std::size_t>(command.lane)];
  }

  void enqueue(std::size_t i, bool keep_events) {
    const StreamCommand& command = commands_[i];
    waits_.clear();
    for (const int wait : command.waits) waits_.push_back(events_[static_cast<std::size_t>(wait)]);
    const auto* const waits = waits_.empty() ? nullptr : &waits_;
    cl::Event* const event = keep_events || has_waiters_[i] ? &events_[i] : nullptr;
    switch (command.kind) {
      case Kind::kUpload:
      case Kind::kDownload:
        copy(command, waits, event);
        break;
      case Kind::kKernel:
        compute(command, waits, event);
        break;
      case Kind::kCombine:
        combine(command, waits, event);
    }
  }

  void copy(const StreamCommand& command, const std::vector<cl::Event>* waits, cl::Event* event) {
    const auto i = static_cast<std::size_t>(command.tensor);
    const std::size_t size = bytes_of(stage_.plan.tensors[i].type);
    const std::size_t at = static_cast<std::size_t>(command.elements.begin) * size;
    const std::size_t bytes = static_cast<std::size_t>(command.elements.count()) * size;
    auto* const host = static_cast<std::byte*>(stage_.hosts[i]) + at;
    if (command.kind == Kind::kUpload)
      lane(command).enqueueWriteBuffer(stage_.buffers[i], CL_FALSE, at, bytes, host, waits, event);
    else
      lane(command).enqueueReadBuffer(stage_.buffers[i], CL_FALSE, at, bytes, host, waits, event);
  }

  StageCall call_of(const StreamCommand& command) {
    const StageStep& step = stage_.plan.steps[static_cast<std::size_t>(command.step)];
    return tandem::call_of(step, {.width = stage_.width,
                                  .height = stage_.height,
                                  .pass = command.pass,
                                  .parameters = stage_.parameters.data(),
                                  .tensors = views_.data()});
  }

  void compute(const StreamCommand& command, const std::vector<cl::Event>* waits,
               cl::Event* event) {
    const auto k = static_cast<std::size_t>(command.step);
    const StageStep& step = stage_.plan.steps[k];
    const opencl::Kernel& kernel = stage_.kernels.steps[k];
    StageCall call = call_of(command);
    if (step.skeleton == Skeleton::kReduce) {
      const ReduceSizes sizes = stage_.sizes_of(k, call);
      const int bits = std::countr_zero(static_cast<unsigned>(stream_blocks(call.rows)));
      launch(kernel, command, {sizes.items, static_cast<std::size_t>(command.elements.count())},
             {sizes.group, 1},
             {step, call, stage_.parameters.size(), sizes.pieces,
              GridPart::blocks(static_cast<int>(command.elements.begin), bits)},
             waits, event);
      return;
    }
    const bool is_cpu = stage_.kernels.is_cpu;
    const int columns = call.columns;
    const int column = static_cast<int>(command.elements.begin % columns),
              row = static_cast<int>(command.elements.begin / columns);
    const bool whole_rows = command.elements.count() >= columns;
    const int rows = whole_rows ? static_cast<int>(command.elements.count() / columns) : 1;
    if (!whole_rows) call.columns = column + static_cast<int>(command.elements.count());
    call.rows = row + rows;
    const bool swaps = step.writes_other(command.pass);
    if (swaps) swap_passes(stage_.plan, step, views_);
    const std::size_t group = kernel.group_size(
        std::min(opencl::kMapGroup.on_cpu(is_cpu), static_cast<std::size_t>(columns)));
    const std::size_t groups = opencl::pieces(call.columns - column, static_cast<int>(group));
    const int item_rows = static_cast<int>(opencl::kMapRows.on_cpu(is_cpu));
    launch(kernel, command, {group * groups, opencl::pieces(rows, item_rows)}, {group, 1},
           {step, call, stage_.parameters.size(), static_cast<int>(groups),
            GridPart::from(column, row)},
           waits, event);
    if (swaps) swap_passes(stage_.plan, step, views_);
  }

  void combine(const StreamCommand& command, const std::vector<cl::Event>* waits,
               cl::Event* event) {
    const auto k = static_cast<std::size_t>(command.step);
    const StageStep& step = stage_.plan.steps[k];
    const StageCall call = call_of(command);
    const ReduceSizes sizes = stage_.sizes_of(k, call);
    launch(stage_.kernels.combines.at(k), command, sizes.combine_items, sizes.combine_group,
           {step, call, stage_.parameters.size(), sizes.pieces}, waits, event);
  }

  void launch(const opencl::Kernel& kernel, const StreamCommand& command,
              const opencl::WorkSize& global, const opencl::WorkSize& local,
              const StageArguments& arguments, const std::vector<cl::Event>* waits,
              cl::Event* event) {
    const cl::Kernel& native = kernel.on(0).kernel;
    opencl::KernelArguments to(native(), 0);
    arguments.add_to(to);
    lane(command).enqueueNDRangeKernel(native, cl::NullRange, opencl::range_of(global),
                                       opencl::range_of(local), waits, event);
  }

  Private& stage_;
  std::vector<cl::CommandQueue>& lanes_;
  const std::vector<StreamCommand>& commands_;
  std::vector<StageView> views_;
  std::vector<cl::Event> events_, waits_;
  std::vector<bool> has_waiters_;
};

StreamedStage::StreamedStage(StreamDevice& device, const StageFile& file,
                             StageDependencies dependencies, int width, int height)
    : self_(new Private(device, file, std::move(dependencies), width, height)) {}

StreamedStage::~StreamedStage() = default;

const StagePlan& StreamedStage::plan() const { return self_->plan; }
void* StreamedStage::host(std::size_t tensor) { return self_->hosts[tensor]; }
std::size_t StreamedStage::bytes(std::size_t tensor) const { return self_->bytes(tensor); }

StreamCommands StreamedStage::commands(StreamSetting setting) const {
  return plan_stream(self_->plan, self_->dependencies, self_->width, self_->height, setting);
}

double StreamedStage::run(const StreamCommands& commands, int partitions) {
  return opencl::checked("run '" + self_->file.name + "'", [&] {
    Private::Run run(*self_, self_->device.native().lanes(partitions), commands);
    const auto begin = std::chrono::steady_clock::now();
    run.enqueue_all(false);
    run.finish();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
        .count();
  });
}

StreamProfile StreamedStage::profile(const StreamCommands& commands) {
  return opencl::checked("profile '" + self_->file.name + "'", [&] {
    Private::Run run(*self_, self_->device.native().timed_lane(), commands);
    run.enqueue_all(true);
    run.finish();
    StreamProfile profile;
    for (std::size_t i = 0; i < commands.all.size(); ++i) {
      const StreamCommand& command = commands.all[i];
      const auto time_ns =
          static_cast<double>(run.event(i).getProfilingInfo<CL_PROFILING_COMMAND_END>() -
                              run.event(i).getProfilingInfo<CL_PROFILING_COMMAND_START>());
      const bool copies = command.kind == Kind::kUpload || command.kind == Kind::kDownload;
      ++(copies ? profile.copies : profile.launches);
      (command.kind == Kind::kUpload     ? profile.upload_ns
       : command.kind == Kind::kDownload ? profile.download_ns
                                         : profile.kernel_ns) += time_ns;
      if (!copies) continue;
      (command.kind == Kind::kUpload ? profile.upload_bytes : profile.download_bytes) +=
          static_cast<double>(command.elements.count()) *
          static_cast<double>(
              bytes_of(self_->plan.tensors[static_cast<std::size_t>(command.tensor)].type));
    }
    return profile;
  });
}

}  // namespace tandem
