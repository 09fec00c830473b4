// SPDX-License-Identifier: LGPL-2.1-or-later
// `tandem run` ends when a signal asks for it, whatever it waits for.
#include <fcntl.h>
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kInterrupted = 130;
constexpr int kKilled = -1;  // by the signal, before the command handles it

// The command is setting up, starting, and at work; on a busy machine all of them may be earlier.
constexpr std::chrono::milliseconds kMoments[] = {0ms, 50ms, 150ms, 400ms, 1000ms, 2500ms};
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};
// 3 s are promised. All runs end at the same time here, on a machine that may be busy.
constexpr auto kMostPatience = 20s;

struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

class Signals : public testing::Test {
 protected:
  void SetUp() override {
    for (const int number : kSignals) signal(number, SIG_DFL);  // else the command inherits it
    folder_ = fresh_folder();
    make_model(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string fifo(const std::string& name) {
    EXPECT_EQ(mkfifo(path(name).c_str(), 0600), 0);
    return path(name);
  }
  // One that is open at both ends, where nobody reads or writes.
  std::string idle_fifo(const std::string& name) {
    const std::string made = fifo(name);
    open_.emplace_back(open(made.c_str(), O_RDWR | O_CLOEXEC));
    return made;
  }
  std::string full_fifo(const std::string& name) {
    const std::string made = idle_fifo(name);
    const Descriptor writer(open(made.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    const std::string bytes(4096, ' ');
    while (write(writer.number, bytes.data(), bytes.size()) > 0) {
    }
    return made;
  }
  // The address of a server that takes connections and never answers.
  std::string silent_server() {
    const int listener = open_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)).number;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(listener, 64), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  std::string long_video() {
    const std::string video = path("long.avi");
    if (!fs::exists(video)) make_video(video, 1500, 320, 240);
    return video;
  }

  // Begins the command once for each moment and sends a signal then. `words` makes what follows
  // `tandem run vivid` from a number, which is that of one of them. `check` is called with it after
  // that one's end.
  template <typename Words, typename Check>
  void expect_ends(Words words, Check check) {
    struct Run {
      int process;
      std::chrono::steady_clock::time_point start;
    };
    std::vector<Run> runs;
    const int count = static_cast<int>(std::size(kMoments));
    for (int i = 0; i < count; ++i) {
      std::vector<std::string> all = {"run", "vivid", "--device", "cpu"};
      for (std::string& word : words(i)) all.push_back(std::move(word));
      runs.push_back({start_tandem(all, errors(i)), std::chrono::steady_clock::now()});
      ASSERT_GT(runs.back().process, 0);
    }
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_until(runs[i].start + kMoments[i]);
      kill(runs[i].process, kSignals[i % std::size(kSignals)]);
    }
    for (int i = 0; i < count; ++i) {
      SCOPED_TRACE("after " + std::to_string(kMoments[i].count()) + " ms");
      const int status = wait_for(runs[i].process);
      EXPECT_TRUE(status == kInterrupted || status == kKilled) << status << ": " << told(i);
      EXPECT_LT(std::chrono::steady_clock::now() - runs[i].start - kMoments[i], kMostPatience);
      check(i);
    }
  }
  template <typename Words>
  void expect_ends(Words words) {
    expect_ends(words, [](int) {});
  }

  std::string errors(int i) const { return path("errors" + std::to_string(i)); }
  std::string told(int i) const {
    return fs::is_fifo(errors(i)) ? std::string() : read_file(errors(i));
  }
  // It is readable, or the user is told that it is not; `i` names the run.
  void expect_whole_or_told(const std::string& video, const std::string& lines, int i) {
    std::error_code none;
    if (told(i).find("'" + lines + "' is not complete") == std::string::npos) {
      std::istringstream text(read_file(lines));
      for (std::string line; std::getline(text, line);)
        EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    }
    if (fs::file_size(video, none) == 0 || none) return;
    if (told(i).find("'" + video + "' is not complete") == std::string::npos) {
      EXPECT_GT(count_frames(video), 0) << told(i);
    }
  }

  std::string folder_;

 private:
  std::vector<Descriptor> open_;
};

using Words = std::vector<std::string>;
std::string numbered(const std::string& name, int i) { return std::to_string(i) + name; }

TEST_F(Signals, EndARunWhoseInputHasNoWriter) {
  const std::string input = fifo("input");
  expect_ends([&](int i) { return Words{"--input", input, "--metadata", path(numbered("m", i))}; });
}

TEST_F(Signals, EndARunWhoseInputSendsNothing) {
  const std::string input = idle_fifo("input");
  expect_ends([&](int i) {
    return Words{"--input", input, "--output", path(numbered("o.mkv", i))};
  });
}

TEST_F(Signals, EndARunThatReadsADescriptor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor in(ends[0]), out(ends[1]);
  expect_ends([&](int) { return Words{"--input", "fd://" + std::to_string(in.number)}; });
}

TEST_F(Signals, EndARunWhoseServerIsSilent) {
  for (const char* protocol : {"http://", "rtsp://"}) {
    SCOPED_TRACE(protocol);
    const std::string input = protocol + silent_server() + "/video";
    expect_ends([&](int) { return Words{"--input", input}; });
  }
}

TEST_F(Signals, EndARunWhoseVideoHasNoReader) {
  for (const bool full : {false, true}) {
    const std::string output = full ? full_fifo("full.mkv") : fifo("nobody.mkv");
    expect_ends([&](int i) {
      return Words{"--input", long_video(), "--output",
                   output,    "--metadata", path(numbered("m", i))};
    });
  }
}

TEST_F(Signals, EndARunWhoseLinesHaveNoReader) {
  for (const bool full : {false, true}) {
    const std::string lines = full ? full_fifo("full") : fifo("nobody");
    const auto video = [&](int i) { return path(numbered("o.mkv", i)); };
    expect_ends(
        [&](int i) {
          return Words{"--input", long_video(), "--metadata", lines, "--output", video(i)};
        },
        [&](int i) { expect_whole_or_told(video(i), "/dev/null", i); });
  }
}

TEST_F(Signals, EndARunWhosePictureHasNoReader) {
  fs::create_directory(path("pictures"));
  fifo("pictures/part1-320x240-frame0001.png");
  expect_ends([&](int) {
    return Words{"--input", long_video(), "--threshold", "0", "--pictures", path("pictures")};
  });
}

TEST_F(Signals, EndARunWhoseMessagesHaveNoReader) {
  for (std::size_t i = 0; i < std::size(kMoments); ++i) full_fifo("errors" + std::to_string(i));
  expect_ends([&](int i) {
    return Words{"--input",  long_video(), "--size",
                 "1280x960", "--output",   path(numbered("o.mkv", i))};
  });
}

TEST_F(Signals, EndARunThatHasNotEndedYet) {
  const int process = start_tandem({"run", "vivid", "--device", "cpu", "--input", long_video(),
                                    "--output", fifo("nobody.mkv"), "--metadata", path("m")},
                                   errors(0));
  ASSERT_GT(process, 0);
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(200ms);
    kill(process, SIGTERM);
  }
  const int status = wait_for(process);
  EXPECT_TRUE(status == kInterrupted || status == kKilled) << status << ": " << told(0);
}

TEST_F(Signals, LeaveFilesWholeOrTellThatTheyAreNot) {
  for (const std::string name : {"o.mkv", "o.mp4", "o.avi"}) {
    const auto video = [&](int i) { return path(numbered(name, i)); };
    const auto lines = [&](int i) { return path(numbered(name + ".jsonl", i)); };
    expect_ends(
        [&](int i) {
          return Words{"--input",  long_video(), "--size",     "1280x960",
                       "--output", video(i),     "--metadata", lines(i)};
        },
        [&](int i) { expect_whole_or_told(video(i), lines(i), i); });
  }
}

// Its writer has one reader from the beginning to the end, and the command does not open it again.
TEST_F(Signals, AFifoWithAWriterIsRead) {
  constexpr int kFrames = 200;  // more bytes than a pipe holds
  make_video(path("short.avi"), kFrames, 160, 144);
  const std::string input = fifo("input"), lines = path("m");
  const int process = start_tandem(
      {"run", "vivid", "--device", "cpu", "--input", input, "--metadata", lines}, errors(0));
  ASSERT_GT(process, 0);
  write_file(input, read_file(path("short.avi")));
  EXPECT_EQ(wait_for(process), 0) << told(0);
  const std::string text = read_file(lines);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), kFrames);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  signal(SIGPIPE, SIG_IGN);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
