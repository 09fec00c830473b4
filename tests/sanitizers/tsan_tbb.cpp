// SPDX-License-Identifier: LGPL-2.1-or-later
// Preloaded into the tests of the TSan run, for the reason given in tsan_glib.cpp: how oneTBB's
// library passes tasks between its threads is hidden from TSan. These functions stand before its
// entry points and tell TSan that a task begins after it was spawned and that a wait ends after the
// tasks have.
#include <dlfcn.h>
#include <oneapi/tbb/detail/_task.h>

#include <cstdlib>

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
uint64_t __tsan_atomic64_load(const volatile uint64_t* address, int order);
}

namespace tbb::detail::r1 {
namespace {

// Carries a task from the thread that spawns it to the one that executes it.
class CarriedTask final : public d1::task {
 public:
  explicit CarriedTask(d1::task& inner) : inner_(inner) { __tsan_release(this); }
  d1::task* execute(d1::execution_data& data) override { return arrive().execute(data); }
  d1::task* cancel(d1::execution_data& data) override { return arrive().cancel(data); }

 private:
  d1::task& arrive() {
    __tsan_acquire(this);
    d1::task& inner = inner_;
    delete this;
    return inner;
  }
  d1::task& inner_;
};

// The count that tasks lower, with atomics that TSan sees, in headers compiled into our code; that
// the waiting thread has read zero from it is what TSan does not see.
void acquire_count(d1::wait_context& context) {
  struct Layout {
    uint64_t version_and_traits, references;
  };
  static_assert(sizeof(Layout) == sizeof(d1::wait_context));
  __tsan_atomic64_load(&reinterpret_cast<Layout*>(&context)->references, __ATOMIC_ACQUIRE);
}

template <typename Function>
Function* next(const char* mangled_name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, mangled_name));
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))
#define NAMESPACE "_ZN3tbb6detail2r1"

EXPORT void spawn(d1::task& task, d1::task_group_context& context) {
  using Function = void(d1::task&, d1::task_group_context&);
  next<Function>(NAMESPACE "5spawnERNS0_2d14taskERNS2_18task_group_contextE")(
      *new CarriedTask(task), context);
}

EXPORT void spawn(d1::task& task, d1::task_group_context& context, d1::slot_id slot) {
  using Function = void(d1::task&, d1::task_group_context&, d1::slot_id);
  next<Function>(NAMESPACE "5spawnERNS0_2d14taskERNS2_18task_group_contextEt")(
      *new CarriedTask(task), context, slot);
}

EXPORT void execute_and_wait(d1::task& task, d1::task_group_context& task_context,
                             d1::wait_context& wait_context, d1::task_group_context& wait_group) {
  using Function =
      void(d1::task&, d1::task_group_context&, d1::wait_context&, d1::task_group_context&);
  next<Function>(NAMESPACE
                 "16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
                 "contextES6_")(task, task_context, wait_context, wait_group);
  acquire_count(wait_context);
}

EXPORT void wait(d1::wait_context& wait_context, d1::task_group_context& group) {
  using Function = void(d1::wait_context&, d1::task_group_context&);
  next<Function>(NAMESPACE "4waitERNS0_2d112wait_contextERNS2_18task_group_contextE")(wait_context,
                                                                                      group);
  acquire_count(wait_context);
}

// Tasks live in pools whose reuse TSan cannot follow; it does follow the heap.
EXPORT void* allocate(d1::small_object_pool*&, std::size_t bytes, const d1::execution_data&) {
  return std::aligned_alloc(d1::task_alignment, (bytes + 63) / 64 * 64);
}
EXPORT void* allocate(d1::small_object_pool*&, std::size_t bytes) {
  return std::aligned_alloc(d1::task_alignment, (bytes + 63) / 64 * 64);
}
EXPORT void deallocate(d1::small_object_pool&, void* object, std::size_t,
                       const d1::execution_data&) {
  std::free(object);
}
EXPORT void deallocate(d1::small_object_pool&, void* object, std::size_t) { std::free(object); }

}  // namespace tbb::detail::r1
