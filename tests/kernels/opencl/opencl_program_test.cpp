// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>
#include <vector>

#include "kernels/program_cache/program_cache.h"
#include "kernels/resize/resize.h"
#include "kernels/vivid_histogram/vivid_histogram.h"
#include "tests/files/special_files.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

namespace fs = std::filesystem;

// A cache of its own for each test; "building" makes a kernel of the project.
class CachedProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("TANDEM_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TANDEM_CACHE_DIR");
    fs::remove_all(folder_);
  }

  struct Built {
    uint64_t built = 0, cached = 0;
    bool operator==(const Built&) const = default;
  };

  // In a fresh context, as a new process would, and as on a GPU: PoCL's programs for the cores are
  // not kept.
  static Built build(bool other = false, bool as_gpu = true) {
    const uint64_t built = counters().programs_built, cached = counters().programs_cached;
    const auto context = test_context();
    if (as_gpu) treat_as_gpu(*context);
    if (other) {
      ResizeOpenCL kernel(*context);
    } else {
      VividHistogramOpenCL kernel(*context, 5);
    }
    return {counters().programs_built - built, counters().programs_cached - cached};
  }

  std::vector<fs::path> files() const {
    return {fs::directory_iterator(folder_ / "programs"), fs::directory_iterator()};
  }

  void damage(const std::function<void(std::string&)>& change) {
    for (const fs::path& path : files()) {
      std::ifstream in(path, std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(in), {}};
      change(bytes);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    }
  }

  static constexpr Built kFromSource{1, 0}, kFromCache{1, 1};
  fs::path folder_;
};

#define SKIP_WITHOUT_DEVICE() TANDEM_SKIP_WITHOUT_DEVICE(test_context())

// First of all in this process: LLVM, in PoCL, replaces the signal stack of the first thread that
// compiles. AddressSanitizer fails when that thread ends, unless it has none (use_sigaltstack=0).
TEST_F(CachedProgram, AThreadThatCompiledFirstMayEnd) {
  SKIP_WITHOUT_DEVICE();
  std::thread([] { EXPECT_EQ(build(), kFromSource); }).join();
}

TEST_F(CachedProgram, BuildsOnceAndKeepsIt) {
  SKIP_WITHOUT_DEVICE();
  EXPECT_EQ(build(), kFromSource);
  ASSERT_EQ(files().size(), 1u);
  EXPECT_EQ(build(), kFromCache);
  EXPECT_EQ(files().size(), 1u);
}

// It has a cache of its own, and takes as long to make a binary as to compile what runs.
TEST_F(CachedProgram, PoclKeepsItsProgramsItself) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  if (context->device().platform != "Portable Computing Language") GTEST_SKIP() << "needs PoCL";
  EXPECT_EQ(build(false, false), kFromSource);
  EXPECT_EQ(build(false, false), kFromSource);
  EXPECT_FALSE(fs::exists(folder_ / "programs"));
}

TEST_F(CachedProgram, KeepsOneProgramForEachSource) {
  SKIP_WITHOUT_DEVICE();
  EXPECT_EQ(build(), kFromSource);
  EXPECT_EQ(build(true), kFromSource);
  EXPECT_EQ(build(), kFromCache);
  EXPECT_EQ(build(true), kFromCache);
}

TEST_F(CachedProgram, AContextBuildsAProgramOnce) {
  const auto context = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(context);
  VividHistogramOpenCL first(*context, 5);
  const uint64_t built = counters().programs_built;
  VividHistogramOpenCL second(*context, 6);
  EXPECT_EQ(counters().programs_built, built);
}

TEST_F(CachedProgram, RebuildsWhatIsDamaged) {
  SKIP_WITHOUT_DEVICE();
  const std::vector<std::function<void(std::string&)>> damages = {
      [](std::string& bytes) { bytes.clear(); },
      [](std::string& bytes) { bytes.resize(bytes.size() / 2); },
      [](std::string& bytes) { bytes.pop_back(); },
      [](std::string& bytes) { bytes[bytes.size() / 2] ^= 1; },
      [](std::string& bytes) { bytes[0] ^= 1; },
      [](std::string& bytes) { bytes += "more"; },
  };
  build();
  for (const auto& change : damages) {
    damage(change);
    EXPECT_EQ(build(), kFromSource);
    EXPECT_EQ(build(), kFromCache);
  }
}

// Intact for the cache, but not a program: the driver refuses it.
TEST_F(CachedProgram, RebuildsWhatTheDriverDoesNotTake) {
  SKIP_WITHOUT_DEVICE();
  build();
  const std::string entry = files().at(0).string();
  std::ifstream in(entry, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  test::write_with_checksum(entry, bytes.substr(0, bytes.find('\0') + 1) + "garbage" + "12345678");
  EXPECT_EQ(build(), kFromSource);
  EXPECT_EQ(build(), kFromCache);
}

TEST_F(CachedProgram, WorksWhateverAnEntryIs) {
  SKIP_WITHOUT_DEVICE();
  build();
  const fs::path entry = files().at(0);
  for (const auto& [name, make] : test::special_files()) {
    fs::remove_all(entry);
    make(entry.string());
    EXPECT_EQ(build(), kFromSource) << name;
  }
}

TEST_F(CachedProgram, WorksWithoutAFolder) {
  SKIP_WITHOUT_DEVICE();
  const fs::path file = folder_ / "file";
  std::ofstream(file) << "not a folder";
  setenv("TANDEM_CACHE_DIR", (file / "cache").c_str(), 1);
  EXPECT_NE(ProgramCache().problem(), "");
  EXPECT_EQ(build(), kFromSource);
  EXPECT_EQ(build(), kFromSource);
}

TEST_F(CachedProgram, ThreadsShareIt) {
  SKIP_WITHOUT_DEVICE();
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) threads.emplace_back([] { build(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(build(), kFromCache);
}

}  // namespace
}  // namespace tandem::opencl
