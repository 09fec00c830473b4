// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// OpenCL contexts, queues and buffers without a CL type. A build without OpenCL links stubs.cpp,
/// which finds no device, so that callers need no #ifdef.
namespace tandem::opencl {

class Context;

/// An OpenCL call failed, or no device matches a selector. what() names the remedy.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  Error(const std::string& what, int device, const Context& of)
      : std::runtime_error(what), device_(device), context_(&of) {}
  /// Number of the failed device in its context; negative: the device of the current queue.
  int device() const { return device_; }
  /// The failed device's context, only for comparison; null: that of the current queue.
  const Context* context() const { return context_; }

 private:
  int device_ = -1;
  const Context* context_ = nullptr;
};

/// A program does not compile; log() has the compiler's messages.
class ProgramError : public Error {
 public:
  ProgramError(const std::string& what, std::string log) : Error(what), log_(std::move(log)) {}
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// Most devices of a context together with its further ones, and most kinds of devices.
inline constexpr int kMostDevices = 8;
inline constexpr int kMostKinds = 3;

struct DeviceDescription {
  std::string name, vendor, platform, version, driver;
  std::string extensions;
  bool is_cpu = false;  ///< uses the cores that the CPU path needs
  bool is_gpu = false;
  bool unified_memory = false;    ///< host and device share one memory
  bool has_local_memory = false;  ///< of its own; CPUs and some GPUs take it from global memory
  bool divides_exactly = false;   ///< can divide and take roots as IEEE 754 rounds them
  unsigned vector_floats = 0;     ///< floats in a vector of the device's instructions
  unsigned compute_units = 0;
  std::size_t max_work_group = 0;
  uint64_t global_memory_bytes = 0, local_memory_bytes = 0;
};

/// All devices of all platforms; empty without a platform. Never throws.
std::vector<DeviceDescription> list_devices();

/// Counts of operations that are too slow for every frame. Tests check that the counts do not grow
/// while frames flow.
struct Counters {
  std::atomic<uint64_t> buffers_created{0};  ///< device buffers and host mirrors
  std::atomic<uint64_t> programs_built{0};   ///< from source or from the cache on disk
  std::atomic<uint64_t> programs_cached{0};  ///< those of programs_built from the cache
  std::atomic<uint64_t> objects_created{0};  ///< kernels and queues
};
Counters& counters();

/// One device, or several of one kind, shared by all their users. Each device has a cl_context of
/// its own, so that the failure of one leaves the others usable. Thread-safe.
class Context {
 public:
  /// Opens the devices that a selector matches:
  ///
  /// | selector | devices |
  /// | --- | --- |
  /// | auto | the first GPU or accelerator; no CPU device, which would compete for the cores |
  /// | any | the first GPU or accelerator, or any device if there is none |
  /// | all | every GPU and accelerator |
  /// | a part of a device's or platform's name, in any case | the first one with that name |
  /// | A,B | one for each selector of the list, no device twice |
  ///
  /// The context holds the devices of the first one's kind, further() those of other kinds. Throws
  /// Error if no device matches; the message lists the available ones.
  static std::shared_ptr<Context> open(std::string_view selector);
  /// Wraps a cl_context and one of its cl_device_ids that an application owns; both are retained.
  static std::shared_ptr<Context> wrap(void* cl_context, void* cl_device_id);
  ~Context();

  const DeviceDescription& device() const;  ///< the same for each of its devices
  int devices() const;                      ///< their number, at least 1
  /// A context for each other kind of device that the selector matched, in their order.
  const std::vector<std::shared_ptr<Context>>& further() const { return further_; }
  /// Names of devices that matched but exceed kMostDevices or kMostKinds.
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

/// An in-order command queue. One thread at a time. If enqueuing throws Error, all commands
/// enqueued before are done or lost, so that the caller may reuse their memory.
class Queue {
 public:
  /// `device`: its number in the context.
  explicit Queue(std::shared_ptr<Context> context, int device = 0);
  ~Queue();
  Context& context() const { return *context_; }
  int device() const { return device_; }
  void flush();   ///< submits the enqueued commands to the device; throws Error
  void finish();  ///< waits until all enqueued commands are done; throws Error
  /// Like flush(), and notes the time at which the commands are done. finish() has to follow.
  void flush_timed();
  /// The time noted by flush_timed(), in nanoseconds of the steady clock. After finish(); 0:
  /// unknown.
  uint64_t done_ns() const;
  /// From now on kernels and large copies are enqueued in pieces of about Pace::kPieceNs. Each
  /// piece is waited for before the next one. Enqueuing throws Error once `stop` is set. Null:
  /// enqueuing never waits (the default).
  void pace(const std::atomic<bool>* stop);

  /// During its lifetime, copies of Buffers are enqueued beside the kernels, on a queue for uploads
  /// and one for downloads. A kernel waits for the uploads that were enqueued before it, a download
  /// for the kernels before it. The caller must not upload to memory that earlier commands use.
  /// flush() and finish() include these queues.
  class ConcurrentCopies {
   public:
    explicit ConcurrentCopies(Queue& queue);  ///< throws Error
    ~ConcurrentCopies();
    ConcurrentCopies(const ConcurrentCopies&) = delete;
    ConcurrentCopies& operator=(const ConcurrentCopies&) = delete;

   private:
    Queue& queue_;
  };
  /// The next commands may overwrite memory that pending downloads read. Throws Error.
  void wait_for_downloads();

  struct Native;
  Native& native() { return *native_; }

 private:
  std::shared_ptr<Context> context_;
  const int device_;
  std::unique_ptr<Native> native_;
};

/// An address in device memory: a cl_mem and an offset in elements of the kernel's type.
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

/// Memory with a host side and a side on each device. A side is allocated when it is first needed,
/// and updated when another side has changed, as in GstGLMemory. Data goes from one device to
/// another through the host. Without a context it is plain host memory. Host memory is page-locked
/// if that makes the device's copies faster.
///
/// Thread-safe. Commands enqueued for it must be finished before it is mapped or destroyed.
class Buffer {
 public:
  enum class Access { read, write, read_write };

  /// `context` may be null. `host_offset`, a multiple of 64: the host side begins so many bytes
  /// behind a page boundary if it is a page or larger, see plane_offset().
  Buffer(std::shared_ptr<Context> context, std::size_t bytes, std::size_t host_offset = 0);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::size_t size() const { return bytes_; }
  /// The context of its device sides; null: host memory only.
  const Context* context() const;
  /// Gives a context to a buffer that has none. The buffer must be a page or larger, and not in
  /// use. It keeps its memory; its content is undefined.
  void join(std::shared_ptr<Context> context);

  /// The host side, 64-byte aligned. Downloads first (blocking) if the device has newer content and
  /// `access` reads; `write` and `read_write` make the device side stale. Throws Error.
  void* host(Access access);

  /// The side of the queue's device, a cl_mem. Uploads first (enqueued on `queue`) if the host has
  /// newer content and `access` reads; `write` and `read_write` make the host side stale. Throws
  /// Error.
  void* device(Queue& queue, Access access);

  /// Enqueues the download that host(read) would need, so that it belongs to the current batch.
  void enqueue_download(Queue& queue);

  /// A part of each of `planes` equal parts of the buffer, in bytes.
  struct Part {
    int planes = 1;
    std::size_t begin = 0, end = 0;
  };
  /// enqueue_download() part by part. With the last one the host has the content.
  void enqueue_download_part(Queue& queue, const Part& part, bool last);

  /// Enqueues the upload of a strided rectangle of foreign host memory to the device side, rows
  /// packed, from row `first_row` of the device side on. `source` must stay valid until the queue
  /// has finished. Makes the host stale.
  void enqueue_upload_rows(Queue& queue, const void* source, std::size_t row_bytes, int rows,
                           std::size_t source_stride_bytes, int first_row = 0);

  /// Page-locks the host side if that makes copies of the queue's device faster, for another
  /// buffer's enqueue_upload_rows() from there. Only the first call has an effect, and only for a
  /// queue of the buffer's context.
  void lock_pages(const Queue& queue);

  /// Copies packed rows at the start of the device side to strided host memory, and waits, for a
  /// buffer without pending commands. Returns false, and copies nothing, if the host has the
  /// content already or no device has all of it. Throws Error.
  bool download_rows(void* destination, std::size_t row_bytes, int rows,
                     std::size_t destination_stride_bytes);

  /// The parts of a content that device and host compute at the same time. The buffer has `planes`
  /// equal parts. The device has the bytes of each part before `device_end`, the host those from
  /// `host_begin` on. Bytes that both sides have are equal.
  struct Halves {
    int planes = 1;
    std::size_t device_end = 0, host_begin = 0;
  };
  /// Until unshare(), host() and device() return their sides without a copy. Throws Error.
  ///
  /// | access | effect |
  /// | --- | --- |
  /// | read | missing bytes of a half are uploaded (enqueued) or downloaded (blocking) |
  /// | write | each side is about to write its half; nothing else stays valid |
  ///
  /// `overwritten`: the host writes before the queue has finished, so that uploads read a copy.
  /// Returns whether it downloaded; enqueue_border() avoids that.
  bool share(Queue& queue, Access access, const Halves& halves, bool overwritten = false);
  /// share() of separate contents: nothing is copied between the sides.
  void share_apart(Queue& queue);
  /// While shared for writing: enqueues the download of the device's bytes of each plane from
  /// `begin` on, so that the host has them after unshare(). Until then the host sees its old bytes.
  void enqueue_border(Queue& queue, std::size_t begin);
  /// Ends share() after all enqueued commands are done. A side gets the bytes that it lacks from
  /// the other one when they are needed.
  void unshare();
  /// Ends share() after a failure: no side's half becomes valid.
  void abandon_share();

  /// Makes the content undefined: the next user writes it anew. A pool took the buffer back, or the
  /// device failed and the host computes it again.
  void discard();

  /// Whether it has a side on this device.
  bool is_on(int device) const;

 private:
  struct Private;
  const std::size_t bytes_;
  std::unique_ptr<Private> self_;
};

/// For tests: after `n` enqueued commands or waits, every further one fails. It counts on all
/// queues, or on those of the device with this number in list_devices(). A negative `n` turns it
/// off. Also set from the environment at the first queue: TANDEM_OPENCL_FAIL_AFTER=n, or n@device.
void fail_after(int n, int device = -1);

/// For tests: from now on, programs and buffers of `context` are built as for a GPU with its own
/// local memory and page-locked host memory. A machine with only a CPU device can check these so.
/// TANDEM_OPENCL_AS_GPU in the environment does it for every context.
void treat_as_gpu(Context& context);

}  // namespace tandem::opencl
