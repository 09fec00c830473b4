// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/opencl/kernel.h"
#include "kernels/opencl/pace.h"

/// The OpenCL objects behind opencl.h and kernel.h.
namespace tandem::opencl {

/// One of a context's devices.
struct NativeDevice {
  cl::Context context;
  cl::Device device;
  int number = -1;  // in list_devices()

  std::mutex transfer_mutex;  // guards `transfer`; no other lock is taken under it
  cl::CommandQueue transfer;  // for blocking copies of a thread that has no queue of its own

  /// Built once, with `building` held; no other lock is taken under it.
  struct Built {
    std::mutex building;
    cl::Program program;
  };
  std::mutex programs_mutex;              // guards the map; no other lock is taken under it
  std::map<std::string, Built> programs;  // by options and source; none is ever removed
};

struct Context::Native {
  DeviceDescription description;
  std::vector<std::unique_ptr<NativeDevice>> devices;
  std::vector<std::string> left_out;

  NativeDevice& at(int device) const { return *devices[static_cast<std::size_t>(device)]; }
};

struct Queue::Native {
  const NativeDevice& device;
  cl::CommandQueue queue;
  DeferredCommands deferred;
  cl::Buffer zeroed;   ///< see opencl::zeroed()
  cl::Buffer scratch;  ///< see opencl::scratch()
  std::size_t scratch_bytes = 0;

  explicit Native(const NativeDevice& on) : device(on) {}

  /// See Queue::ConcurrentCopies.
  struct Copies {
    cl::CommandQueue uploads, downloads;  ///< created on first use
    bool on = false;
    std::vector<cl::Event> uploaded;    ///< the last upload, if nothing waits for it yet
    std::vector<cl::Event> downloaded;  ///< the last download, likewise
    std::vector<cl::Event> computed;  ///< the last kernel, since it is on; else a marker is needed
  };
  Copies copies;
  /// The place for the event of a kernel; null: the event is not needed.
  cl::Event* note_kernel();
  void wait_for_uploads();  ///< makes the next command wait
  cl_int finish_copies();   ///< CL_SUCCESS, or the first error

  /// See Queue::flush_timed: a command on a queue with profiling, behind a marker on `queue`.
  cl::CommandQueue timing;
  cl::Buffer timing_bytes;
  std::vector<cl::Event> all_done;
  cl::Event timed;
  std::chrono::steady_clock::time_point started;
  uint64_t done_ns = 0;
  void finish_timed();

  /// Called after each kernel; throws Error. See Queue::pace.
  void keep_pace();
  const std::atomic<bool>* stop = nullptr;  ///< null: no pace
  Pace pace;
  std::chrono::steady_clock::time_point piece_began;
};

/// "clFinish: CL_OUT_OF_RESOURCES (-5)".
std::string describe(const cl::Error& error);

/// Makes a description of a device; throws cl::Error.
DeviceDescription describe_device(const cl::Device& device);

/// Calls the runtime and turns its exceptions into Error, "cannot <what>: ...".
template <typename Call>
auto checked(std::string_view what, Call&& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw Error("cannot " + std::string(what) + ": " + describe(error));
  }
}

/// True if fail_after() makes the next command or wait fail.
bool fault_is_due(const NativeDevice& device);

/// Enqueues one command. If it throws Error, all commands enqueued before are done or lost, so that
/// the caller may reuse their memory.
template <typename Call>
void command(const NativeDevice& device, cl::CommandQueue& queue, const char* what, Call&& call) {
  try {
    if (fault_is_due(device)) throw cl::Error(CL_OUT_OF_RESOURCES, "fault injected by a test");
    call();
  } catch (const cl::Error& error) {
    clFinish(queue());
    throw Error(std::string("cannot ") + what + ": " + describe(error));
  }
}

/// Like the function above, on the queue.
template <typename Call>
void command(Queue& queue, const char* what, Call&& call) {
  try {
    command(queue.native().device, queue.native().queue, what, call);
  } catch (const Error&) {
    queue.native().finish_copies();
    throw;
  }
}

/// The queue of a copy. `done` and `waits` are null if it is the queue of the kernels.
struct CopyPlace {
  cl::CommandQueue& queue;
  cl::Event* done = nullptr;                      ///< receives the copy's event
  const std::vector<cl::Event>* waits = nullptr;  ///< events that a download waits for
};
CopyPlace place_for_upload(Queue& queue);    ///< throws Error
CopyPlace place_for_download(Queue& queue);  ///< throws Error

struct Program::Native {
  std::vector<cl::Program> each;
};

inline cl::NDRange range_of(const WorkSize& size) {
  return size.dimensions == 1 ? cl::NDRange(size.sizes[0])
                              : cl::NDRange(size.sizes[0], size.sizes[1]);
}

struct Kernel::OnDevice {
  std::mutex mutex;  // arguments belong to the kernel until it is enqueued
  cl::Kernel kernel;
};

}  // namespace tandem::opencl
