// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/support/device_profile.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "kernels/opencl/native.h"

// The kernels' library enqueues without events. The linker hands its calls to these functions
// (--wrap, see meson.build), which ask for an event while commands are recorded.
namespace {

struct Recorded {
  std::string name;
  cl::Event event;
};
thread_local std::vector<Recorded>* recording = nullptr;

template <typename Enqueue>
cl_int record(const char* name, cl_event* event, Enqueue&& enqueue) {
  if (recording == nullptr || event != nullptr) return enqueue(event);
  cl_event made = nullptr;
  const cl_int status = enqueue(&made);
  if (status == CL_SUCCESS) recording->push_back({name, cl::Event(made)});
  return status;
}

}  // namespace

extern "C" {

decltype(clEnqueueNDRangeKernel) __real_clEnqueueNDRangeKernel;
decltype(clEnqueueWriteBuffer) __real_clEnqueueWriteBuffer;
decltype(clEnqueueReadBuffer) __real_clEnqueueReadBuffer;
decltype(clEnqueueWriteBufferRect) __real_clEnqueueWriteBufferRect;
decltype(clEnqueueReadBufferRect) __real_clEnqueueReadBufferRect;

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t* offset, const size_t* global,
                                     const size_t* local, cl_uint waits, const cl_event* wait_list,
                                     cl_event* event) {
  char name[128] = "";
  if (recording != nullptr)
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
  return record(name, event, [&](cl_event* made) {
    return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                         wait_list, made);
  });
}

cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                   size_t offset, size_t bytes, const void* host, cl_uint waits,
                                   const cl_event* wait_list, cl_event* event) {
  return record("upload", event, [&](cl_event* made) {
    return __real_clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, host, waits, wait_list,
                                       made);
  });
}

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                  size_t offset, size_t bytes, void* host, cl_uint waits,
                                  const cl_event* wait_list, cl_event* event) {
  return record("download", event, [&](cl_event* made) {
    return __real_clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, host, waits, wait_list,
                                      made);
  });
}

cl_int __wrap_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                       const size_t* to, const size_t* from, const size_t* region,
                                       size_t row, size_t slice, size_t host_row, size_t host_slice,
                                       const void* host, cl_uint waits, const cl_event* wait_list,
                                       cl_event* event) {
  return record("upload", event, [&](cl_event* made) {
    return __real_clEnqueueWriteBufferRect(queue, mem, blocking, to, from, region, row, slice,
                                           host_row, host_slice, host, waits, wait_list, made);
  });
}

cl_int __wrap_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                                      const size_t* from, const size_t* to, const size_t* region,
                                      size_t row, size_t slice, size_t host_row, size_t host_slice,
                                      void* host, cl_uint waits, const cl_event* wait_list,
                                      cl_event* event) {
  return record("download", event, [&](cl_event* made) {
    return __real_clEnqueueReadBufferRect(queue, mem, blocking, from, to, region, row, slice,
                                          host_row, host_slice, host, waits, wait_list, made);
  });
}

}  // extern "C"

namespace tandem::check {
namespace {

using opencl::checked;

/// Gives the queue one with profiling, and takes it back.
class Profiled {
 public:
  explicit Profiled(opencl::Queue& queue) : queue_(queue), plain_(queue.native().queue) {
    queue.finish();
    queue.native().queue = checked("make a command queue with profiling", [&] {
      const auto& native = queue.native().device;
      return cl::CommandQueue(native.context, native.device, CL_QUEUE_PROFILING_ENABLE);
    });
  }
  ~Profiled() { queue_.native().queue = plain_; }
  cl::CommandQueue& commands() { return queue_.native().queue; }

 private:
  opencl::Queue& queue_;
  const cl::CommandQueue plain_;
};

double start_us(const cl::Event& event) {
  return 1e-3 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_START>());
}
double end_us(const cl::Event& event) {
  return 1e-3 * static_cast<double>(event.getProfilingInfo<CL_PROFILING_COMMAND_END>());
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Eight chains a work-item, of vectors on a CPU: the latency of one hides behind the others.
constexpr char kPeakSource[] = R"(
__kernel void multiply_add(__global Floats* out, float factor, int rounds) {
  Floats a = (float)get_global_id(0), b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5,
         g = a + 6, h = a + 7;
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      a = fma(a, (Floats)factor, (Floats)factor); b = fma(b, (Floats)factor, (Floats)factor);
      c = fma(c, (Floats)factor, (Floats)factor); d = fma(d, (Floats)factor, (Floats)factor);
      e = fma(e, (Floats)factor, (Floats)factor); f = fma(f, (Floats)factor, (Floats)factor);
      g = fma(g, (Floats)factor, (Floats)factor); h = fma(h, (Floats)factor, (Floats)factor);
    }
  }
  out[get_global_id(0)] = a + b + c + d + e + f + g + h;
}
__kernel void copy(__global const float4* from, __global float4* to) {
  to[get_global_id(0)] = from[get_global_id(0)];
}
)";

double least_us(cl::CommandQueue& queue, const cl::Kernel& kernel, std::size_t items,
                std::size_t group) {
  double least = 0;
  for (int i = 0; i < 8; ++i) {
    cl::Event event;
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(items), cl::NDRange(group),
                               nullptr, &event);
    event.wait();
    const double us = end_us(event) - start_us(event);
    if (i == 0 || us < least) least = us;
  }
  return least;
}

}  // namespace

DevicePeaks measure_device_peaks(opencl::Queue& queue) {
  static std::map<const opencl::Context*, DevicePeaks> measured;
  opencl::Context& context = queue.context();
  if (const auto found = measured.find(&context); found != measured.end()) return found->second;
  Profiled profiled(queue);
  const bool cpu = context.device().is_cpu;
  const cl::Device& device = context.native().at(0).device;
  const std::size_t width = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  const std::string floats = cpu && width > 1 ? "float" + std::to_string(width) : "float";
  return measured[&context] = checked("measure what the device can do", [&] {
           const opencl::Program program =
               opencl::build_program(context, kPeakSource, " -DFloats=" + floats);
           const std::size_t group = cpu ? 16 : 256;
           const std::size_t items = context.device().compute_units * (cpu ? 16 : 2048 * 4u);
           const cl_int rounds = cpu ? 2000 : 512;
           const std::size_t bytes = cpu ? 64u << 20 : 1u << 30;
           const cl::Buffer from(context.native().at(0).context, CL_MEM_READ_WRITE, bytes);
           const cl::Buffer to(context.native().at(0).context, CL_MEM_READ_WRITE, bytes);
           cl::Kernel fma(program.native->each[0], "multiply_add");
           fma.setArg(0, to);
           fma.setArg(1, 0.5f);
           fma.setArg(2, rounds);
           cl::Kernel copy(program.native->each[0], "copy");
           copy.setArg(0, from);
           copy.setArg(1, to);
           profiled.commands().enqueueFillBuffer(from, cl_float{1}, 0, bytes);
           const double lanes = cpu ? static_cast<double>(width) : 1.0;
           const double operations = 2.0 * 8 * 16 * rounds * lanes * static_cast<double>(items);
           DevicePeaks peaks;
           peaks.fma_gflops = 1e-3 * operations / least_us(profiled.commands(), fma, items, group);
           peaks.copy_gbps = 1e-3 * 2 * static_cast<double>(bytes) /
                             least_us(profiled.commands(), copy, bytes / 16, group);
           return peaks;
         });
}

DeviceProfile profile_commands(opencl::Queue& queue, int calls,
                               const std::function<void()>& enqueue) {
  Profiled profiled(queue);
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> times;
  std::map<std::string, int> launches;
  std::vector<double> busy, span;
  for (int call = 0; call <= calls; ++call) {
    std::vector<Recorded> commands;
    recording = &commands;
    try {
      enqueue();
      queue.flush();  // what the last call has left for another
    } catch (...) {
      recording = nullptr;
      throw;
    }
    recording = nullptr;
    queue.finish();
    if (call == 0 || commands.empty()) continue;  // warm-up
    std::map<std::string, double> sums;
    launches.clear();
    busy.push_back(0);
    for (const Recorded& command : commands) {
      if (times.count(command.name) == 0 && sums.count(command.name) == 0)
        order.push_back(command.name);
      const double us = end_us(command.event) - start_us(command.event);
      sums[command.name] += us;
      ++launches[command.name];
      busy.back() += us;
    }
    span.push_back(end_us(commands.back().event) - start_us(commands.front().event));
    for (const auto& [name, us] : sums) times[name].push_back(us);
  }
  DeviceProfile profile;
  for (const std::string& name : order) {
    profile.commands.push_back({name, launches[name], median(times[name])});
    profile.launches += launches[name];
  }
  profile.busy_us = median(busy);
  profile.span_us = median(span);
  return profile;
}

void print_profile(const DeviceProfile& profile, const DevicePeaks& peaks,
                   const std::vector<DeviceWork>& work) {
  std::fprintf(stderr,
               "device: %d commands, %.1f us busy, %.1f us from first to last; peaks %.0f GFLOP/s, "
               "%.0f GB/s\n",
               profile.launches, profile.busy_us, profile.span_us, peaks.fma_gflops,
               peaks.copy_gbps);
  const auto line = [&](const std::string& name, int launches, double us) {
    std::fprintf(stderr, "  %-26s %3d launched %9.2f us %5.1f%%",
                 name.empty() ? "all" : name.c_str(), launches, us, 100 * us / profile.busy_us);
    for (const DeviceWork& each : work) {
      if (each.kernel != name) continue;
      const double arithmetic_us = 2e-3 * each.multiply_adds / peaks.fma_gflops;
      const double bytes_us = 1e-3 * each.bytes / peaks.copy_gbps;
      const bool by_bytes = bytes_us > arithmetic_us;
      std::fprintf(stderr, "  %.0f %s, %.1f%% of %s",
                   by_bytes ? 1e-3 * each.bytes / us : 2e-3 * each.multiply_adds / us,
                   by_bytes ? "GB/s" : "GFLOP/s", 100 * std::max(arithmetic_us, bytes_us) / us,
                   by_bytes ? "a copy in memory" : "multiply-adds in a loop");
    }
    std::fprintf(stderr, "\n");
  };
  for (const CommandTime& command : profile.commands)
    line(command.name, command.launches, command.us);
  line("", profile.launches, profile.span_us);
}

}  // namespace tandem::check
