// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/app/gstappsrc.h>
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/gst/support/stream.h"

namespace tandem::test {

constexpr std::chrono::milliseconds kFrame{33};

inline std::string line_of(int number) { return "{\"frame\":" + std::to_string(number) + "}"; }

inline std::vector<std::string> lines(int first, int last) {
  std::vector<std::string> all;
  for (int i = first; i < last; ++i) all.push_back(line_of(i));
  return all;
}

// Without the duplicates.
inline std::vector<std::string> first_arrivals(const std::vector<std::string>& received) {
  std::set<std::string> seen;
  std::vector<std::string> first;
  for (const std::string& line : received) {
    if (seen.insert(line).second) first.push_back(line);
  }
  return first;
}

/// appsrc ! tandempublish.
class Publishing {
 public:
  explicit Publishing(const std::string& location, const std::string& properties = "")
      : pipeline_(gst_parse_launch(("appsrc name=source format=time block=true "
                                    "caps=application/x-json-lines ! tandempublish "
                                    "name=publish " +
                                    properties)
                                       .c_str(),
                                   nullptr)),
        messages(pipeline_),
        source_(gst_bin_get_by_name(GST_BIN(pipeline_), "source")),
        publish_(gst_bin_get_by_name(GST_BIN(pipeline_), "publish")) {
    g_object_set(publish_, "location", location.c_str(), nullptr);
  }
  ~Publishing() {
    stop();
    gst_object_unref(source_);
    gst_object_unref(publish_);
    gst_object_unref(pipeline_);
  }

  GstStateChangeReturn play() { return gst_element_set_state(pipeline_, GST_STATE_PLAYING); }
  // Waits until it is paused.
  GstStateChangeReturn pause() {
    gst_element_set_state(pipeline_, GST_STATE_PAUSED);
    return gst_element_get_state(pipeline_, nullptr, nullptr, GST_CLOCK_TIME_NONE);
  }
  void stop() { gst_element_set_state(pipeline_, GST_STATE_NULL); }
  // So many lines, at 30 a second or at once.
  void push(int count, std::chrono::milliseconds pause = kFrame) {
    for (int i = 0; i < count; ++i) {
      push_line(line_of(pushed_));
      std::this_thread::sleep_for(pause);
    }
  }
  // Waits while the element is behind by more than appsrc holds, 200 kB.
  void push_line(std::string line) {
    line += '\n';
    ++pushed_;
    gst_app_src_push_buffer(GST_APP_SRC(source_), gst_buffer_new_memdup(line.data(), line.size()));
  }
  void end() { gst_app_src_end_of_stream(GST_APP_SRC(source_)); }
  int pushed() const { return pushed_; }

  uint64_t stat(const char* name) const {
    GstStructure* stats = nullptr;
    g_object_get(publish_, "stats", &stats, nullptr);
    guint64 value = 0;
    gboolean flag = FALSE;
    if (gst_structure_get_boolean(stats, name, &flag)) value = flag;
    EXPECT_TRUE(gst_structure_get_uint64(stats, name, &value) ||
                gst_structure_has_field_typed(stats, name, G_TYPE_BOOLEAN));
    gst_structure_free(stats);
    return value;
  }
  // All lines have left the stream of buffers, whatever has become of them.
  bool all_taken() const {
    return stat("published") + stat("queued") + stat("dropped") + stat("too-long") ==
           static_cast<uint64_t>(pushed_);
  }
  std::string location() const {
    gchar* text = nullptr;
    g_object_get(publish_, "location", &text, nullptr);
    std::string copy = text;
    g_free(text);
    return copy;
  }

 private:
  GstElement* const pipeline_;

 public:
  Messages messages;

 private:
  GstElement *const source_, *const publish_;
  int pushed_ = 0;
};

template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace tandem::test
