// SPDX-License-Identifier: LGPL-2.1-or-later
// Preloaded into the tests of the TSan run. Debian's GLib and GStreamer are built without TSan and
// lock with futexes and atomic counts that it cannot see, so it would report a race on everything
// that they protect. These functions stand before theirs and tell TSan what happens before what.
// They report order only: a race in our own code between two properly locked places stays visible.
#include <dlfcn.h>
#include <gst/gst.h>

#include <cstdlib>

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}

namespace {

// PoCL runs the linker on kernels that it has not cached; a program without TSan does not load with
// this.
[[gnu::constructor]] void keep_from_children() { unsetenv("LD_PRELOAD"); }

}  // namespace

// Looks the hidden function up on each call: the lock would need a lock of its own otherwise, and a
// static with an initialiser is one. dlsym() costs about 0.1 us, which the TSan run can spare.
#define NEXT(name) reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))
#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void g_mutex_lock(GMutex* mutex) {
  NEXT(g_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

EXPORT gboolean g_mutex_trylock(GMutex* mutex) {
  const gboolean locked = NEXT(g_mutex_trylock)(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

EXPORT void g_mutex_unlock(GMutex* mutex) {
  __tsan_release(mutex);
  NEXT(g_mutex_unlock)(mutex);
}

EXPORT void g_rec_mutex_lock(GRecMutex* mutex) {
  NEXT(g_rec_mutex_lock)(mutex);
  __tsan_acquire(mutex);
}

EXPORT gboolean g_rec_mutex_trylock(GRecMutex* mutex) {
  const gboolean locked = NEXT(g_rec_mutex_trylock)(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

EXPORT void g_rec_mutex_unlock(GRecMutex* mutex) {
  __tsan_release(mutex);
  NEXT(g_rec_mutex_unlock)(mutex);
}

EXPORT void g_cond_wait(GCond* cond, GMutex* mutex) {
  __tsan_release(mutex);
  NEXT(g_cond_wait)(cond, mutex);
  __tsan_acquire(mutex);
}

EXPORT gboolean g_cond_wait_until(GCond* cond, GMutex* mutex, gint64 end_time_us) {
  __tsan_release(mutex);
  const gboolean signalled = NEXT(g_cond_wait_until)(cond, mutex, end_time_us);
  __tsan_acquire(mutex);
  return signalled;
}

// The last owner frees the object after everything that earlier owners did to it.
EXPORT void g_object_unref(gpointer object) {
  __tsan_release(object);
  __tsan_acquire(object);
  NEXT(g_object_unref)(object);
}

EXPORT void gst_object_unref(gpointer object) {
  __tsan_release(object);
  __tsan_acquire(object);
  NEXT(gst_object_unref)(object);
}

EXPORT void gst_mini_object_unref(GstMiniObject* object) {
  __tsan_release(object);
  __tsan_acquire(object);
  NEXT(gst_mini_object_unref)(object);
}

// A pool hands out what somebody else has finished with.
EXPORT GstFlowReturn gst_buffer_pool_acquire_buffer(GstBufferPool* pool, GstBuffer** buffer,
                                                    GstBufferPoolAcquireParams* params) {
  const GstFlowReturn flow = NEXT(gst_buffer_pool_acquire_buffer)(pool, buffer, params);
  if (flow == GST_FLOW_OK) __tsan_acquire(*buffer);
  return flow;
}

// What a queue hands over was written before it was pushed.
EXPORT void g_async_queue_push(GAsyncQueue* queue, gpointer data) {
  __tsan_release(queue);
  NEXT(g_async_queue_push)(queue, data);
}

EXPORT gpointer g_async_queue_timeout_pop(GAsyncQueue* queue, guint64 timeout_us) {
  gpointer data = NEXT(g_async_queue_timeout_pop)(queue, timeout_us);
  if (data) __tsan_acquire(queue);
  return data;
}
