// SPDX-License-Identifier: LGPL-2.1-or-later
// What page-locked memory costs and how fast it is to copy to: the driver's own, ours that is
// touched and locked where it lies, and ordinary memory, one buffer and several threads at a time.
// Needs a discrete device.
//
//     host_memory_bench [MIB of a buffer]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "kernels/opencl/host_memory.h"
#include "kernels/opencl/memory.h"
#include "kernels/opencl/native.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

constexpr std::size_t kUsualMib = 232;  // a frame of scenefeatures at 1920x1080

double ms_of(const std::function<void()>& what) {
  const auto start = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

void on_threads(int threads, const std::function<void(int)>& each) {
  std::vector<std::jthread> all;
  all.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) all.emplace_back(each, i);
}

/// Host memory of one kind, made and given back.
class Kind {
 public:
  Kind(Context& context, std::size_t bytes) : context_(context), bytes_(bytes) {}
  virtual ~Kind() = default;
  virtual const char* name() const = 0;
  virtual memory::Pinned make() = 0;
  virtual void give_back(const memory::Pinned& made) { memory::release_pinned(made); }

 protected:
  Context& context_;
  const std::size_t bytes_;
};

class DriversOwn final : public Kind {
 public:
  using Kind::Kind;
  const char* name() const override { return "the driver's (CL_MEM_ALLOC_HOST_PTR)"; }

  memory::Pinned make() override {
    const NativeDevice& device = context_.native().at(0);
    const cl::CommandQueue queue(device.context, device.device);
    memory::Pinned made;
    made.mem = clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes_,
                              nullptr, nullptr);
    made.host =
        clEnqueueMapBuffer(queue(), static_cast<cl_mem>(made.mem), CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, bytes_, 0, nullptr, nullptr, nullptr);
    return made;
  }

  void give_back(const memory::Pinned& made) override { memory::release(made.mem); }
};

class Locked final : public Kind {
 public:
  using Kind::Kind;
  const char* name() const override { return "ours, locked"; }
  memory::Pinned make() override { return memory::create_pinned(context_, 0, bytes_); }
};

class Ordinary final : public Kind {
 public:
  using Kind::Kind;
  const char* name() const override { return "ordinary"; }

  memory::Pinned make() override {
    void* const host = memory::allocate_pages(bytes_);
    if (host) memory::touch(host, bytes_);
    return {nullptr, host};
  }
  void give_back(const memory::Pinned& made) override { std::free(made.host); }
};

void measure(const std::shared_ptr<Context>& context, Kind& kind, std::size_t bytes) {
  Queue queue(context);
  void* const device = memory::create(*context, 0, bytes);
  for (int threads : {1, 1, 4, 8}) {
    std::vector<memory::Pinned> made(static_cast<std::size_t>(threads));
    const double make = ms_of([&] {
      on_threads(threads, [&](int i) { made[static_cast<std::size_t>(i)] = kind.make(); });
    });
    for (const memory::Pinned& each : made)
      if (each.host == nullptr) return std::puts("no memory, or nothing is gained by it"), void();
    double enqueue = 0;
    const auto rate = [&](auto&& copy) {
      return static_cast<double>(bytes) / 1e6 / ms_of([&] {
               enqueue = ms_of([&] { copy(made[0].host); });
               queue.finish();
             });
    };
    const double up = rate([&](const void* from) {
      memory::upload(queue, device, from, {bytes, 1, bytes});
    });
    const double up_enqueue = enqueue;
    const double down = rate([&](void* to) { memory::download(queue, device, to, bytes); });
    const double down_enqueue = enqueue;
    const double give_back = ms_of([&] {
      on_threads(threads, [&](int i) { kind.give_back(made[static_cast<std::size_t>(i)]); });
    });
    std::printf("| %s | %d | %.0f | %.1f (%.1f) | %.1f (%.1f) | %.0f |\n", kind.name(), threads,
                make, up, up_enqueue, down, down_enqueue, give_back);
  }
  memory::release(device);
}

int run(std::size_t bytes) {
  const auto context = test_context();
  if (!context) return std::puts("no OpenCL device on this machine"), 1;
  std::printf("%s, buffers of %zu MiB\n\n", context->device().name.c_str(), bytes >> 20);
  std::puts(
      "| memory | at a time | made, ms | upload, GB/s (its enqueuing, ms) | download | "
      "given back, ms |");
  std::puts("| --- | ---: | ---: | ---: | ---: | ---: |");
  DriversOwn drivers(*context, bytes);
  Locked locked(*context, bytes);
  Ordinary ordinary(*context, bytes);
  for (Kind* kind :
       {static_cast<Kind*>(&drivers), static_cast<Kind*>(&locked), static_cast<Kind*>(&ordinary)})
    measure(context, *kind, bytes);
  return 0;
}

}  // namespace
}  // namespace tandem::opencl

int main(int argc, char** argv) {
  const std::size_t mib = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  return tandem::opencl::run((mib ? mib : tandem::opencl::kUsualMib) << 20);
}
