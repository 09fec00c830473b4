// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <utility>

namespace tandem {

/// Owns one reference of a GObject or GstMiniObject. Move-only; `release` hands the reference on.
template <typename T, void (*Unref)(T*)>
class BasicRef {
 public:
  BasicRef() = default;
  explicit BasicRef(T* object) : object_(object) {}  ///< takes over the caller's reference
  BasicRef(BasicRef&& other) noexcept : object_(other.release()) {}
  BasicRef& operator=(BasicRef&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~BasicRef() { reset(); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* release() { return std::exchange(object_, nullptr); }
  void reset(T* object = nullptr) {
    if (T* old = std::exchange(object_, object)) Unref(old);
  }

 private:
  T* object_ = nullptr;
};

template <typename T>
void unref_object(T* object) {
  gst_object_unref(object);
}

template <typename T>
void unref_mini_object(T* object) {
  gst_mini_object_unref(GST_MINI_OBJECT_CAST(object));
}

template <typename T>
using ObjectRef = BasicRef<T, unref_object<T>>;
template <typename T>
using MiniObjectRef = BasicRef<T, unref_mini_object<T>>;

using MemoryRef = MiniObjectRef<GstMemory>;
using BufferRef = MiniObjectRef<GstBuffer>;
using CapsRef = MiniObjectRef<GstCaps>;
using ContextRef = MiniObjectRef<GstContext>;
using QueryRef = MiniObjectRef<GstQuery>;

/// GST_OBJECT_LOCK for a scope.
class ObjectLock {
 public:
  explicit ObjectLock(gpointer object) : object_(GST_OBJECT_CAST(object)) {
    GST_OBJECT_LOCK(object_);
  }
  ~ObjectLock() { GST_OBJECT_UNLOCK(object_); }
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;

 private:
  GstObject* object_;
};

}  // namespace tandem
