// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace tandem {
namespace {

using Missing = OwnFolder::Missing;
enum class Place { kAbove, kOwn };

constexpr int kMostLinks = 40;            // the kernel follows as many
constexpr std::size_t kMostName = 16384;  // bytes of an entry of a user or a group
constexpr int kEntryFlags = O_PATH | O_NOFOLLOW | O_CLOEXEC;

// Some systems give each user a group of the same name, and let groups write by default.
bool is_private_group(gid_t id) {
  std::vector<char> user_text(kMostName), group_text(kMostName);
  passwd user, *known_user = nullptr;
  group own, *known_group = nullptr;
  if (getpwuid_r(geteuid(), &user, user_text.data(), kMostName, &known_user) != 0 || !known_user)
    return false;
  if (user.pw_gid != id) return false;
  if (getgrgid_r(id, &own, group_text.data(), kMostName, &known_group) != 0 || !known_group)
    return false;
  const std::string_view name = user.pw_name;
  if (name != own.gr_name) return false;
  for (char** member = own.gr_mem; *member; ++member)
    if (name != *member) return false;
  return true;
}

// In a sandbox with a user namespace of its own, root outside has the number that stands for all
// users the namespace does not know (user_namespaces(7)). Nobody in it can have that number.
bool is_root(uid_t user) {
  if (user == 0) return true;
  uid_t unknown = 0;
  std::ifstream("/proc/sys/kernel/overflowuid") >> unknown;
  if (user != unknown) return false;
  std::ifstream map("/proc/self/uid_map");
  for (uint64_t inside, outside, users; map >> inside >> outside >> users;)
    if (user >= inside && user - inside < users) return false;
  return true;
}

bool others_write(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return true;
  if ((status.st_mode & S_IWGRP) == 0) return false;
  return status.st_uid != geteuid() || !is_private_group(status.st_gid);
}

std::string problem_of(const struct stat& status, const std::string& path, Place place) {
  const bool above = place == Place::kAbove, link = S_ISLNK(status.st_mode);
  if (!S_ISDIR(status.st_mode) && !(link && above)) return path + " is not a folder";
  if (status.st_uid != geteuid() && !(above && is_root(status.st_uid)))
    return (link ? "the link " : "the folder ") + path + " belongs to another user";
  if (link || !others_write(status) || (above && (status.st_mode & S_ISVTX) != 0)) return {};
  return "others can write into the folder " + path + " (chmod go-w " + path + ")";
}

// The first component is the last element.
void push_components(const std::filesystem::path& path, std::vector<std::string>& to) {
  std::vector<std::string> some;
  for (const auto& name : path.relative_path())
    if (!name.empty() && name != ".") some.push_back(name);
  to.insert(to.end(), some.rbegin(), some.rend());
}

/// Opens a path component by component, each of which is checked.
class Walk {
 public:
  Walk(Missing missing, Place last) : missing_(missing), last_(last) {}

  bool go(const std::string& path) {
    std::vector<std::string> left;
    push_components(path, left);
    if (!start(left.empty())) return false;
    while (!left.empty()) {
      const std::string name = left.back();
      left.pop_back();
      if (!enter(name, left)) return false;
    }
    return true;
  }

  // From a folder that is checked.
  bool go(int folder, const std::string& path, const std::string& name) {
    path_ = path;
    at_ = FileHandle(openat(folder, ".", kEntryFlags | O_DIRECTORY));
    FileHandle next = open_entry(name);
    struct stat status;
    return next && read_status(next, path_ + "/" + name, status) &&
           judge(status, path_ + "/" + name, Place::kOwn) &&
           move(std::move(next), path_ + "/" + name);
  }

  // A handle that can be read; none after a problem.
  FileHandle reopen() {
    FileHandle handle(openat(at_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!handle) problem_ = "the folder " + path_ + " cannot be opened: " + std::strerror(errno);
    return handle;
  }

  const std::string& problem() const { return problem_; }

 private:
  bool start(bool is_last) {
    FileHandle root(open("/", kEntryFlags | O_DIRECTORY));
    struct stat status;
    return read_status(root, "/", status) && judge(status, "/", is_last ? last_ : Place::kAbove) &&
           move(std::move(root), "");
  }

  bool enter(const std::string& name, std::vector<std::string>& left) {
    const std::string path = path_ + "/" + name;
    FileHandle next = open_entry(name);
    struct stat status;
    if (!next || !read_status(next, path, status)) return false;
    const bool link = S_ISLNK(status.st_mode);
    if (!judge(status, path, left.empty() && !link ? last_ : Place::kAbove)) return false;
    return link ? follow(next, path, left) : move(std::move(next), path);
  }

  FileHandle open_entry(const std::string& name) {
    FileHandle next(openat(at_.number(), name.c_str(), kEntryFlags));
    if (next || (errno == ENOENT && missing_ == Missing::kStays)) return next;
    const std::string path = path_ + "/" + name;
    if (errno != ENOENT) return fail(path + " cannot be opened: " + std::strerror(errno));
    if (mkdirat(at_.number(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return fail("the folder " + path + " cannot be created: " + std::strerror(errno));
    next = FileHandle(openat(at_.number(), name.c_str(), kEntryFlags));
    if (!next) return fail(path + " cannot be opened: " + std::strerror(errno));
    return next;
  }

  bool read_status(const FileHandle& file, const std::string& path, struct stat& status) {
    if (fstat(file.number(), &status) == 0) return true;
    problem_ = path + " cannot be opened: " + std::strerror(errno);
    return false;
  }

  bool judge(const struct stat& status, const std::string& path, Place place) {
    problem_ = problem_of(status, path, place);
    return problem_.empty();
  }

  bool follow(const FileHandle& link, const std::string& path, std::vector<std::string>& left) {
    char target[PATH_MAX];
    const ssize_t length = readlinkat(link.number(), "", target, sizeof target);
    if (length <= 0 || static_cast<std::size_t>(length) == sizeof target || ++links_ > kMostLinks) {
      problem_ = "the link " + path + " cannot be followed";
      return false;
    }
    push_components(std::string(target, static_cast<std::size_t>(length)), left);
    return target[0] != '/' || start(left.empty());
  }

  bool move(FileHandle next, const std::string& path) {
    at_ = std::move(next);
    path_ = path;
    return true;
  }

  FileHandle fail(const std::string& problem) {
    problem_ = problem;
    return FileHandle();
  }

  const Missing missing_;
  const Place last_;
  FileHandle at_;
  std::string path_, problem_;
  int links_ = 0;
};

}  // namespace

OwnFolder::OwnFolder(const std::string& path, Missing missing) : path_(path) {
  if (path.empty()) return;
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error);
  if (error) {
    problem_ = "the folder " + path + " cannot be found: " + error.message();
    return;
  }
  Walk walk(missing, Place::kOwn);
  if (walk.go(absolute)) handle_ = walk.reopen();
  problem_ = walk.problem();
}

OwnFolder OwnFolder::folder(const std::string& name, Missing missing) const {
  OwnFolder inner;
  inner.path_ = path_ + "/" + name;
  inner.problem_ = problem_;
  if (!handle_) return inner;
  Walk walk(missing, Place::kOwn);
  if (walk.go(handle(), path_, name)) inner.handle_ = walk.reopen();
  inner.problem_ = walk.problem();
  return inner;
}

std::vector<std::string> OwnFolder::names() const {
  std::vector<std::string> all;
  const int file = openat(handle(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return all;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(file), closedir);
  if (!list) {
    close(file);
    return all;
  }
  while (const dirent* const entry = readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") all.emplace_back(name);
  }
  return all;
}

void OwnFolder::remove(const std::string& name) const {
  if (unlinkat(handle(), name.c_str(), 0) == 0 || errno != EISDIR) return;
  const OwnFolder inner = folder(name, Missing::kStays);
  if (!inner) return;
  for (const std::string& file : inner.names()) unlinkat(inner.handle(), file.c_str(), 0);
  unlinkat(handle(), name.c_str(), AT_REMOVEDIR);
}

std::string problem_above(const std::string& folder) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(folder, error);
  Walk walk(Missing::kStays, Place::kAbove);
  if (!error) walk.go(absolute);
  return walk.problem();
}

}  // namespace tandem
