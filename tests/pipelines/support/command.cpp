// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/support/command.h"

#include <fcntl.h>
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "kernels/vivid_classifier/vivid_model.h"

extern char** environ;

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Far longer than any command takes on a busy machine, which may compile OpenCL programs.
constexpr auto kPatience = 200s;

int spawn(std::vector<std::string> words, const std::string& output, const std::string& errors) {
  const char* command = std::getenv("TANDEM_COMMAND");
  if (!command) return -1;
  words.insert(words.begin(), command);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&files, 2, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t process = -1;
  if (posix_spawn(&process, command, &files, nullptr, argv.data(), environ) != 0) process = -1;
  posix_spawn_file_actions_destroy(&files);
  return process;
}

// Names of the threads of a process and the system calls that they are in, a line each.
std::string what_threads_do(pid_t process) {
  std::ostringstream lines;
  std::error_code gone;
  const fs::path tasks = fs::path("/proc") / std::to_string(process) / "task";
  for (const auto& thread : fs::directory_iterator(tasks, gone)) {
    for (const char* file : {"comm", "syscall"}) lines << read_file(thread.path() / file);
  }
  return lines.str();
}

void set_location(GstElement* pipeline, const std::string& path) {
  GstElement* file = gst_bin_get_by_name(GST_BIN(pipeline), "file");
  g_object_set(file, "location", path.c_str(), nullptr);
  gst_object_unref(file);
}

GstPadProbeReturn count_one(GstPad*, GstPadProbeInfo*, gpointer count) {
  ++*static_cast<int*>(count);
  return GST_PAD_PROBE_OK;
}

}  // namespace

CommandResult run_tandem(const std::vector<std::string>& words) {
  const std::string base = testing::TempDir() + "/tandem_" + std::to_string(getpid());
  CommandResult result;
  result.status = wait_for(spawn(words, base + ".out", base + ".err"));
  result.output = read_file(base + ".out");
  result.errors = read_file(base + ".err");
  fs::remove(base + ".out");
  fs::remove(base + ".err");
  return result;
}

int start_tandem(const std::vector<std::string>& words, const std::string& errors) {
  return spawn(words, "/dev/null", errors);
}

int wait_for(int process) {
  if (process < 0) return -1;
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (pid_t ended = 0; (ended = waitpid(process, &status, WNOHANG)) != process;) {
    if (ended < 0) return -1;
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "the command did not end:\n" << what_threads_do(process);
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(1ms);
  }
  if (WIFSIGNALED(status))
    std::fprintf(stderr, "the command was ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string fresh_folder() {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const fs::path folder =
      fs::path(testing::TempDir()) / ("tandem_" + std::to_string(getpid()) + "_" + info->name());
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder.string();
}

void make_model(const std::string& folder) {
  constexpr int kFilters = 4;
  VividModel model;
  model.bank.count = model.svm.filters = kFilters;
  for (int i = 0; i < kFilters * 9; ++i) {
    model.bank.coefficients.push_back(static_cast<float>(i * 7 % 11 - 5) / 10);
  }
  for (int i = 0; i < VividWindow::kBlocks * 4 * kFilters; ++i) {
    model.svm.weights.push_back(static_cast<float>(i * 5 % 13 - 6) / 1000);
  }
  fs::create_directories(folder + "/models");
  save_vivid_model(model, folder + "/models/person.vivid");
  setenv("TANDEM_DATA_DIR", folder.c_str(), 1);
}

void make_video(const std::string& path, int frames, int width, int height) {
  const std::string description =
      "videotestsrc pattern=ball num-buffers=" + std::to_string(frames) +
      " ! video/x-raw,format=I420,framerate=25/1,width=" + std::to_string(width) +
      ",height=" + std::to_string(height) + " ! jpegenc ! avimux ! filesink name=file";
  play_file(description, path);
}

void play_to_end(GstElement* pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  constexpr auto kEnd = static_cast<GstMessageType>(int{GST_MESSAGE_EOS} | int{GST_MESSAGE_ERROR});
  GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, kEnd);
  EXPECT_TRUE(message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS);
  if (message) gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
}

void play_file(const std::string& description, const std::string& path,
               const std::function<void(GstElement*)>& prepare) {
  const ObjectRef<GstElement> pipeline(gst_parse_launch(description.c_str(), nullptr));
  set_location(pipeline.get(), path);
  if (prepare) prepare(pipeline.get());
  play_to_end(pipeline.get());
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

int count_frames(const std::string& path) {
  int frames = 0;
  play_file("filesrc name=file ! decodebin ! video/x-raw ! fakesink name=sink sync=false", path,
            [&](GstElement* pipeline) {
              const ObjectRef<GstElement> sink(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
              const ObjectRef<GstPad> pad(gst_element_get_static_pad(sink.get(), "sink"));
              gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, count_one, &frames, nullptr);
            });
  return frames;
}

}  // namespace tandem::test
