// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/own_folder.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/temporary_folder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Missing = OwnFolder::Missing;

constexpr uid_t kStranger = 65534;

class OwnFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tandem-own-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
  }
  void TearDown() override { fs::remove_all(base_); }

  static std::string problem(const fs::path& path) {
    return OwnFolder(path, Missing::kStays).problem();
  }
  static void give_away(const fs::path& path) {
    ASSERT_EQ(lchown(path.c_str(), kStranger, kStranger), 0);
  }

  fs::path base_;
};

TEST_F(OwnFolderTest, IsMadeForThisUserAlone) {
  const fs::path path = base_ / "some" / "where";
  const OwnFolder absent(path, Missing::kStays);
  EXPECT_FALSE(absent);
  EXPECT_EQ(absent.problem(), "");
  EXPECT_TRUE(fs::is_empty(base_));
  const OwnFolder made(path, Missing::kMake);
  EXPECT_TRUE(made) << made.problem();
  EXPECT_TRUE(made.folder("inner", Missing::kMake));
  for (const fs::path& folder : {base_ / "some", path, path / "inner"})
    EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all) << folder;
  EXPECT_EQ(made.names(), std::vector<std::string>{"inner"});
}

TEST_F(OwnFolderTest, StaysTheFolderThatWasOpened) {
  const OwnFolder opened(base_ / "one", Missing::kMake);
  fs::rename(base_ / "one", base_ / "two");
  fs::create_directory(base_ / "one");
  EXPECT_TRUE(opened.folder("inner", Missing::kMake));
  EXPECT_TRUE(fs::is_directory(base_ / "two" / "inner"));
  EXPECT_TRUE(fs::is_empty(base_ / "one"));
}

TEST_F(OwnFolderTest, APathMayBeRelativeAndHaveDots) {
  fs::create_directory(base_ / "one");
  const fs::path before = fs::current_path();
  fs::current_path(base_);
  EXPECT_TRUE(OwnFolder("one", Missing::kStays));
  EXPECT_TRUE(OwnFolder("./one/../one//", Missing::kStays));
  fs::current_path(before);
}

TEST_F(OwnFolderTest, AFolderAboveMayBeSticky) {
  fs::create_directory(base_ / "one");
  fs::permissions(base_, fs::perms::all);
  EXPECT_EQ(problem(base_ / "one"), "others can write into the folder " + base_.string() +
                                        " (chmod go-w " + base_.string() + ")");
  EXPECT_NE(problem_above(base_), "");
  fs::permissions(base_, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_EQ(problem(base_ / "one"), "");
  EXPECT_EQ(problem_above(base_), "");
  EXPECT_NE(problem(base_), "") << "its files could be made by others";
}

TEST_F(OwnFolderTest, LinksAboveAreFollowed) {
  fs::create_directories(base_ / "real" / "one");
  fs::create_directory_symlink("real", base_ / "relative");
  fs::create_directory_symlink(base_ / "relative", base_ / "absolute");
  fs::create_directory_symlink("absolute/one", base_ / "last");
  fs::create_directory_symlink("endless", base_ / "endless");
  EXPECT_EQ(problem(base_ / "absolute" / "one"), "");
  EXPECT_TRUE(OwnFolder(base_ / "last", Missing::kStays));
  EXPECT_EQ(problem(base_ / "endless"),
            "the link " + (base_ / "endless").string() + " cannot be followed");
  EXPECT_EQ(OwnFolder(base_, Missing::kStays).folder("last", Missing::kStays).problem(),
            (base_ / "last").string() + " is not a folder");
  fs::permissions(base_ / "real", fs::perms::all);
  EXPECT_NE(problem(base_ / "absolute" / "one"), "");
}

TEST_F(OwnFolderTest, NothingOnThePathIsAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directories(base_ / "one" / "two");
  fs::create_directory_symlink("one", base_ / "link");
  EXPECT_EQ(problem(base_ / "link" / "two"), "");
  give_away(base_ / "link");
  EXPECT_EQ(problem(base_ / "link" / "two"),
            "the link " + (base_ / "link").string() + " belongs to another user");
  EXPECT_EQ(problem(base_ / "link"),
            "the link " + (base_ / "link").string() + " belongs to another user");
  give_away(base_ / "one");
  EXPECT_EQ(problem(base_ / "one" / "two"),
            "the folder " + (base_ / "one").string() + " belongs to another user");
}

// 0: folders above that belong to nobody whom the namespace knows are taken for root's.
[[noreturn]] void look_from_a_user_namespace(const fs::path& path, uid_t user) {
  constexpr int kNoNamespace = 77;
  if (setresuid(user, user, user) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0 ||
      access(path.c_str(), X_OK) != 0 || unshare(CLONE_NEWUSER) != 0)
    _exit(kNoNamespace);
  std::ofstream("/proc/self/uid_map") << user << ' ' << user << " 1";
  struct stat root;
  if (geteuid() != user || stat("/", &root) != 0 || root.st_uid == 0) _exit(kNoNamespace);
  _exit(OwnFolder(path, Missing::kStays).problem().empty() ? 0 : 1);
}

TEST_F(OwnFolderTest, RootIsUnknownInASandbox) {
  constexpr uid_t kUser = 1234;
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directory(base_ / "one");
  for (const fs::path& path : {base_, base_ / "one"}) ASSERT_EQ(chown(path.c_str(), kUser, 0), 0);
  const pid_t child = fork();
  if (child == 0) look_from_a_user_namespace(base_ / "one", kUser);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs user namespaces";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// A group of the user's name without other members.
TEST_F(OwnFolderTest, OthersAreGroupsButTheUsersOwn) {
  fs::create_directory(base_ / "one");
  fs::permissions(base_, fs::perms::owner_all | fs::perms::group_all);
  const passwd* const user = getpwuid(geteuid());
  const group* const own = user ? getgrgid(user->pw_gid) : nullptr;
  if (!own || own->gr_mem[0] || std::string(own->gr_name) != user->pw_name)
    GTEST_SKIP() << "needs a user with a private group";
  ASSERT_EQ(chown(base_.c_str(), geteuid(), own->gr_gid), 0);
  EXPECT_EQ(problem(base_ / "one"), "");
  EXPECT_EQ(problem(base_), "");
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  ASSERT_EQ(chown(base_.c_str(), 0, kStranger), 0);
  EXPECT_NE(problem(base_ / "one"), "");
}

TEST_F(OwnFolderTest, TemporaryFoldersAreWhereOthersCannotSwapThem) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", base_.c_str(), 1);
  fs::permissions(base_, fs::perms::all);
  std::string said;
  try {
    make_temporary_folder("some");
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  EXPECT_EQ(said, "cannot create a folder in '" + base_.string() +
                      "': others can write into the folder " + base_.string() + " (chmod go-w " +
                      base_.string() + "); TMPDIR has to name a folder that can be written");
  fs::permissions(base_, fs::perms::owner_all);
  const OwnFolder cache(base_ / "cache", Missing::kMake);
  {
    const TemporaryFolder in_cache(cache), elsewhere{OwnFolder()};
    EXPECT_TRUE(in_cache.folder().path().starts_with(cache.path()));
    EXPECT_TRUE(elsewhere.folder().path().starts_with((base_ / "tandem-").string()));
    for (const TemporaryFolder* folder : {&in_cache, &elsewhere})
      std::ofstream(folder->folder().path() + "/file") << "x";
  }
  EXPECT_TRUE(fs::is_empty(base_ / "cache"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_), fs::directory_iterator()), 1);
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace tandem
