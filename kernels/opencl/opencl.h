// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The OpenCL device as the rest of the project sees it. No CL type appears here: a build without
/// OpenCL links stubs.cpp, in which no device is ever found, and callers carry no #ifdef.
namespace tandem::opencl {

class Context;

/// An OpenCL call failed, or there is no device of the kind asked for. what() says what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  Error(const std::string& what, int device, const Context& of)
      : std::runtime_error(what), device_(device), context_(&of) {}
  /// Which of a context's devices failed; negative: the one that the queue at hand is on.
  int device() const { return device_; }
  /// Which context's, to be compared alone; null: that of the queue at hand.
  const Context* context() const { return context_; }

 private:
  int device_ = -1;
  const Context* context_ = nullptr;
};

/// A program does not compile: log() is what the compiler says.
class ProgramError : public Error {
 public:
  ProgramError(const std::string& what, std::string log) : Error(what), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// Most devices of a context and its further ones, and most kinds of them.
inline constexpr int kMostDevices = 8;
inline constexpr int kMostKinds = 3;

struct DeviceDescription {
  std::string name, vendor, platform, version, driver;
  std::string extensions;
  bool is_cpu = false;  ///< shares the cores that the CPU path needs
  bool is_gpu = false;
  bool unified_memory = false;  ///< host and device share one memory
  unsigned compute_units = 0;
  std::size_t max_work_group = 0;
  uint64_t global_memory_bytes = 0, local_memory_bytes = 0;
};

/// All devices of all platforms; empty when there is no platform. Never throws.
std::vector<DeviceDescription> list_devices();

/// Counts of what costs too much to do for every frame; a test watches that they stand still.
struct Counters {
  std::atomic<uint64_t> buffers_created{0};  ///< device buffers and host mirrors
  std::atomic<uint64_t> programs_built{0};   ///< from source or from the cache on disk
  std::atomic<uint64_t> programs_cached{0};  ///< of these, taken from the cache
  std::atomic<uint64_t> objects_created{0};  ///< kernels and queues
};
Counters& counters();

/// One device, or several of one kind: shared by everything that works on them. Each device has a
/// cl_context of its own, so that one that fails does not take the others along. Thread-safe.
class Context {
 public:
  /// `selector`: "auto" takes the first GPU or accelerator, never a CPU device (it competes for the
  /// cores); "any" takes a GPU or accelerator when there is one, else any device; anything else is
  /// a case-insensitive part of a device's or platform's name. "A,B" takes a device for each of
  /// these, no device twice; "all" takes every GPU and accelerator. Of several the context holds
  /// those of the first one's kind, and further() those of other kinds. Throws Error when nothing
  /// fits: the message lists the devices that there are.
  static std::shared_ptr<Context> open(std::string_view selector);
  /// Wraps a cl_context and one of its cl_device_ids that an application owns; both are retained.
  static std::shared_ptr<Context> wrap(void* cl_context, void* cl_device_id);
  ~Context();

  const DeviceDescription& device() const;  ///< of each of them
  int devices() const;                      ///< how many they are, at least 1
  /// One for each other kind of device that was asked for, in their order.
  const std::vector<std::shared_ptr<Context>>& further() const { return further_; }
  /// Names of devices that were asked for and left out: one too many, or of one kind too many.
  const std::vector<std::string>& left_out() const;
  void* cl_context() const;    ///< of the first device
  void* cl_device_id() const;  ///< likewise

  struct Native;  ///< kernels/opencl/native.h, for the _opencl.cpp files
  Native& native() { return *native_; }

 private:
  explicit Context(std::unique_ptr<Native> native);
  std::unique_ptr<Native> native_;
  std::vector<std::shared_ptr<Context>> further_;
};

/// An in-order command queue. One thread at a time. When enqueuing on it throws Error, all that was
/// enqueued before is done or lost: the memory that those commands use is the caller's again.
class Queue {
 public:
  /// `device`: which of the context's.
  explicit Queue(std::shared_ptr<Context> context, int device = 0);
  ~Queue();
  Context& context() const { return *context_; }
  int device() const { return device_; }
  void flush();   ///< hands what is enqueued to the device; throws Error
  void finish();  ///< waits until all that is enqueued is done; throws Error
  /// flush() that notes when the device is done with what is enqueued; finish() follows.
  void flush_timed();
  /// When that was, in nanoseconds of the steady clock. After finish(); 0: not known.
  uint64_t done_ns() const;
  /// From now on kernels and large copies are enqueued in pieces of some 40 ms, each of which is
  /// waited for before the next; when `stop` is set meanwhile, enqueuing throws Error. Null: they
  /// are not (the default), so that nobody waits while they are enqueued.
  void pace(const std::atomic<bool>* stop);

  /// While one lives, copies of Buffers are enqueued beside the kernels: uploads one after the
  /// other, and downloads likewise. A kernel waits for the uploads that were enqueued before it, a
  /// download for the kernels before it. Nothing that was enqueued before uses what is uploaded.
  /// flush() and finish() are for all of them.
  class CopiesBeside {
   public:
    explicit CopiesBeside(Queue& queue);  ///< throws Error
    ~CopiesBeside();
    CopiesBeside(const CopiesBeside&) = delete;
    CopiesBeside& operator=(const CopiesBeside&) = delete;

   private:
    Queue& queue_;
  };
  /// What is enqueued next may write what downloads beside the kernels read. Throws Error.
  void wait_for_downloads();

  struct Native;
  Native& native() { return *native_; }

 private:
  std::shared_ptr<Context> context_;
  const int device_;
  std::unique_ptr<Native> native_;
};

/// A place in device memory: a cl_mem and an offset in elements of the kernel's type.
struct DeviceSpan {
  void* mem = nullptr;  ///< cl_mem
  std::size_t offset = 0;
};

/// A two-dimensional array in device memory; offset and stride in elements.
struct DevicePlane {
  void* mem = nullptr;  ///< cl_mem
  std::size_t offset = 0;
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;
};

/// Memory with a host side and one on each device, each made when first needed and each brought up
/// to date when another has changed: valid-on-host / valid-on-device, as GstGLMemory does. What
/// goes from one device to another goes through the host. Without a context it is plain host
/// memory. Host memory is page-locked where the device copies faster so.
/// Thread-safe; commands enqueued for it must be finished before it is mapped or destroyed.
class Buffer {
 public:
  enum class Access { read, write, read_write };

  /// `context` may be null. `host_offset`, a multiple of 64: where the host side of a buffer of 4
  /// KiB or more begins behind a multiple of 4 KiB, see plane_offset().
  Buffer(std::shared_ptr<Context> context, std::size_t bytes, std::size_t host_offset = 0);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t size() const { return bytes_; }
  /// Whose device it can be on; null: host memory only.
  const Context* context() const;
  /// A buffer of 4 KiB and more without a context, which nobody uses, has this one from now on, and
  /// undefined content. It keeps its memory.
  void join(std::shared_ptr<Context> context);

  /// The host side, 64-byte aligned. Downloads first (blocking) when the device has newer content
  /// and `access` reads; `write` and `read_write` make the device side stale. Throws Error.
  void* host(Access access);

  /// The side (a cl_mem) of the queue's device. Uploads first (enqueued on `queue`) when the host
  /// has newer content and `access` reads; `write` and `read_write` make the host side stale.
  /// Throws Error.
  void* device(Queue& queue, Access access);

  /// Enqueues the download that host(read) would do, so that it is done with the rest of the batch.
  void enqueue_download(Queue& queue);

  /// A part of each of `planes` equal parts of the buffer, in bytes.
  struct Part {
    int planes = 1;
    std::size_t begin = 0, end = 0;
  };
  /// The same part by part. With the last one the host has the content.
  void enqueue_download_part(Queue& queue, const Part& part, bool last);

  /// Enqueues the upload of a strided rectangle of foreign host memory to the device side, rows
  /// packed, from row `first_row` of the device side on. `source` must stay valid until the queue
  /// has finished. Makes the host stale.
  void enqueue_upload_rows(Queue& queue, const void* source, std::size_t row_bytes, int rows,
                           std::size_t source_stride_bytes, int first_row = 0);

  /// Page-locks the host side where the queue's device copies faster so, for another buffer's
  /// enqueue_upload_rows() from there. Once; nothing where the queue is of another context.
  void lock_pages(const Queue& queue);

  /// The reverse of enqueue_upload_rows: packed rows at the start of the device side to strided
  /// host memory.
  void enqueue_download_rows(Queue& queue, void* destination, std::size_t row_bytes, int rows,
                             std::size_t destination_stride_bytes);

  /// The same of a buffer that no queue has commands for any more, and waits. False, and nothing
  /// copied, where the host has the content already, or no device has all of it. Throws Error.
  bool download_rows(void* destination, std::size_t row_bytes, int rows,
                     std::size_t destination_stride_bytes);

  /// The parts of a content that device and host compute at the same time. The buffer has `planes`
  /// equal parts. The device has the bytes of each before `device_end`, the host those from
  /// `host_begin` on; bytes that both have are equal.
  struct Halves {
    int planes = 1;
    std::size_t device_end = 0, host_begin = 0;
  };
  /// From now until unshare() host() and device() return their sides as they are. `read`: each side
  /// has its half; what it lacks of it is uploaded (enqueued) or downloaded (blocking). `write`:
  /// each is about to write its half, which is then all that is valid. `overwritten`: the host does
  /// so before the queue has finished, so that what is uploaded is copied first. True when it
  /// downloaded, which enqueue_border() would have spared. Throws Error.
  bool share(Queue& queue, Access access, const Halves& halves, bool overwritten = false);
  /// The same of what each side has for itself: nothing goes from one to the other.
  void share_apart(Queue& queue);
  /// While it is shared for writing: enqueues the download of what the device has of each plane
  /// from `begin` on, so that the host has it after unshare(). Until then the host may read what it
  /// had there.
  void enqueue_border(Queue& queue, std::size_t begin);
  /// When all that was enqueued is done: what a side lacks comes from the other one when it is
  /// asked for.
  void unshare();
  /// The same where that failed: nothing is taken over.
  void abandon_share();

  /// Nothing in it is of use any more: what comes next writes it anew (a pool took it back, or the
  /// device failed and the host computes it again).
  void discard();

  /// Whether it has a side on this device already.
  bool is_on(int device) const;

 private:
  struct Private;
  const std::size_t bytes_;
  std::unique_ptr<Private> self_;
};

/// For tests: the (n+1)-th and every later enqueued command or wait fails, on any queue or on those
/// of the device with this number in list_devices(); negative `n` turns it off. Also set from the
/// environment at the first queue: TANDEM_OPENCL_FAIL_AFTER=n, or n@device.
void fail_after(int n, int device = -1);

/// For tests: what is built for `context` from now on takes the form that it has on a GPU with
/// page-locked host memory and local memory of its own, so that a machine with a CPU device alone
/// checks that too. Where TANDEM_OPENCL_AS_GPU is set, done to every context that is made.
void treat_as_gpu(Context& context);

}  // namespace tandem::opencl
