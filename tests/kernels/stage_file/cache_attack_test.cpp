// SPDX-License-Identifier: LGPL-2.1-or-later
// Another user may write where the cache is. He swaps folders while stages are compiled, so that
// the compiler reads his source or writes into his folder. His code must never run as this user.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

#include "kernels/program_cache/program_cache.h"
#include "kernels/stage_file/run/c_compiler.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kStranger = 65534;
constexpr const char* kHisCodeRan = "TANDEM_TEST_HIS_CODE_RAN";
// A compile takes milliseconds. The attacker needs a dozen or a hundred where there is a gap.
constexpr int kCompiles = 100;

int compiles() {
  const char* const more = std::getenv("TANDEM_TEST_COMPILES");
  return more ? std::atoi(more) : kCompiles;
}

void swap(const std::string& one, const std::string& other) {
  renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
}

// Reads the source and writes a ready object, as fast as a shell can.
constexpr const char* kFakeCompiler = R"(#!/bin/sh
[ "$1" = --version ] && { echo fake 1; exit; }
while [ $# -gt 0 ]; do
  case "$1" in -o) to=$2; shift;; *.c) from=$1;; esac
  shift
done
read first < "$from"
case "$first" in *his*) made=his;; *) made=ours;; esac
exec cp "${0%/*}/$made.so" "$to"
)";

std::string text_of(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

void build(const fs::path& folder, const std::string& name, const std::string& code) {
  const std::string from = text_of(folder / (name + ".c"), code);
  const std::string to = folder / (name + ".so");
  ASSERT_EQ(std::system(("cc -shared -fPIC -o '" + to + "' '" + from + "'").c_str()), 0);
}

// A folder of his with a source of his.
void make_his(const std::string& path) {
  mkdir(path.c_str(), 0777);
  text_of(path + "/stage.c", "int his;\n");
}

// Puts a folder of his in the place of each of the other user's, down to folders of stages.
void replace_folders(const std::string& folder, int depth = 3) {
  DIR* const list = opendir(folder.c_str());
  if (!list) return;
  while (const dirent* const entry = readdir(list)) {
    const std::string name = entry->d_name, path = folder + "/" + name;
    struct stat status;
    if (name == "." || name == ".." || name.starts_with("his-")) continue;
    if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) continue;
    if (status.st_uid != kStranger) {
      const std::string his = folder + "/his-" + name;
      make_his(his);
      swap(his, path);
    } else if (depth > 0) {
      replace_folders(path, depth - 1);
    }
  }
  closedir(list);
}

/// A process of another user that attacks until this ends.
class Attacker {
 public:
  explicit Attacker(const std::function<void()>& attack) : child_(fork()) {
    if (child_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setgid(kStranger) != 0 || setuid(kStranger) != 0) _exit(1);
    umask(0);
    for (;;) attack();
  }
  ~Attacker() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  Attacker(const Attacker&) = delete;
  Attacker& operator=(const Attacker&) = delete;

 private:
  const pid_t child_;
};

class CacheAttack : public testing::Test {
 protected:
  // A process looks for its compiler once.
  static void SetUpTestSuite() {
    tools_ = new_folder();
    ASSERT_NO_FATAL_FAILURE(build(tools_, "ours", "int f(void) { return 3; }\n"));
    ASSERT_NO_FATAL_FAILURE(
        build(tools_, "his",
              "#include <stdlib.h>\n__attribute__((constructor)) static void run(void) { "
              "setenv(\"" +
                  std::string(kHisCodeRan) + "\", \"1\", 1); }\nint f(void) { return 4; }\n"));
    const std::string compiler = text_of(tools_ / "cc", kFakeCompiler);
    chmod(compiler.c_str(), 0755);
    setenv("TANDEM_CC", compiler.c_str(), 1);
    unsetenv("TANDEM_CACHE_DIR");
    unsetenv("TMPDIR");
  }
  static void TearDownTestSuite() { fs::remove_all(tools_); }

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    folder_ = new_folder();
    setenv("XDG_CACHE_HOME", (folder_ / "shared").c_str(), 1);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  static fs::path new_folder() {
    std::string name = "/tmp/tandem-attack-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    chmod(name.c_str(), 0711);
    return name;
  }

  void make_folder(const fs::path& path, mode_t mode, bool his) {
    fs::create_directory(path);
    if (his) {
      ASSERT_EQ(chown(path.c_str(), kStranger, kStranger), 0);
    }
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  }

  // Returns what users were told.
  std::string compile_and_load() {
    std::string told;
    for (int i = 0; i < compiles(); ++i) {
      const std::string source = "int f(void);  // " + std::to_string(i) + "\n";
      try {
        LoadedCode(compile_c(source, {}).bytes).find("f");
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      told += ProgramCache::take_notice();
      if (std::getenv(kHisCodeRan) == nullptr) continue;
      ADD_FAILURE() << "his code ran in compile " << i;
      unsetenv(kHisCodeRan);
      break;
    }
    return told;
  }

  static std::string unused(const std::string& problem) {
    return "Compiled programs are not cached, so each start compiles them again: " + problem +
           ". TANDEM_CACHE_DIR can name another folder.";
  }

  static inline fs::path tools_;
  fs::path folder_;
};

// As with XDG_CACHE_HOME=/tmp, where he was the first to make /tmp/tandem.
TEST_F(CacheAttack, TheCacheIsTheAttackers) {
  const std::string shared = folder_ / "shared", cache = shared + "/tandem", his = cache + "/his";
  make_folder(shared, 01777, false);
  make_folder(cache, 0777, true);
  make_folder(his, 0777, true);
  const Attacker attacker([&] {
    for (const char* name : {"/stages", "/programs"}) {
      swap(cache + name, his);
      replace_folders(cache + name);
      replace_folders(his);
    }
  });
  EXPECT_EQ(compile_and_load(), unused("the folder " + cache + " belongs to another user"));
}

TEST_F(CacheAttack, TheAttackerSwapsTheCache) {
  const std::string shared = folder_ / "shared", cache = shared + "/tandem", his = shared + "/his";
  make_folder(shared, 0777, false);
  make_folder(cache, 0700, false);
  make_folder(his, 0777, true);
  const Attacker attacker([&] {
    swap(cache, his);
    replace_folders(cache);
    replace_folders(his);
  });
  EXPECT_EQ(compile_and_load(),
            unused("others can write into the folder " + shared + " (chmod go-w " + shared + ")"));
}

TEST_F(CacheAttack, TheAttackerTurnsALink) {
  const std::string shared = folder_ / "shared", home = folder_ / "home";
  const std::string his = shared + "/his", link = shared + "/link", other = shared + "/other";
  make_folder(shared, 01777, false);
  make_folder(home, 0700, false);
  make_folder(his, 0777, true);
  for (const auto& [from, to] : {std::pair(link, home), std::pair(other, his)}) {
    fs::create_directory_symlink(to, from);
    ASSERT_EQ(lchown(from.c_str(), kStranger, kStranger), 0);
  }
  setenv("XDG_CACHE_HOME", link.c_str(), 1);
  const Attacker attacker([&] {
    swap(link, other);
    replace_folders(his);
  });
  EXPECT_EQ(compile_and_load(), unused("the link " + link + " belongs to another user"));
}

// Where he may make files, but not rename ours.
TEST_F(CacheAttack, AStickyFolderIsUsed) {
  const std::string shared = folder_ / "shared", cache = shared + "/tandem", his = shared + "/his";
  make_folder(shared, 01777, false);
  make_folder(his, 0777, true);
  EXPECT_EQ(ProgramCache().problem(), "");
  const Attacker attacker([&] {
    swap(cache, his);
    for (const char* name : {"/stages", "/programs"}) swap(cache + name, his);
    replace_folders(shared);
  });
  EXPECT_EQ(compile_and_load(), "");
  EXPECT_TRUE(compile_c("int f(void);  // 0\n", {}).cached);
}

}  // namespace
}  // namespace tandem
