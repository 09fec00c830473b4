// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "files/replace_file.h"

namespace tandem {

using Missing = OwnFolder::Missing;

std::string make_temporary_folder(const std::string& name) {
  const char* named = std::getenv("TMPDIR");
  const bool chosen = named != nullptr && *named != '\0';
  const std::string parent = chosen ? named : "/tmp";
  std::string problem = problem_above(parent);
  std::string path = parent + "/" + name + "-XXXXXX";
  if (problem.empty() && mkdtemp(path.data()) == nullptr) problem = std::strerror(errno);
  if (problem.empty()) return path;
  throw std::runtime_error("cannot create a folder in '" + parent + "': " + problem +
                           (chosen ? "; TMPDIR has to name a folder that can be written"
                                   : "; name another folder by TMPDIR"));
}

TemporaryFolder::TemporaryFolder(const OwnFolder& in)
    : folder_(in.folder(unfinished_name(), Missing::kMake)) {
  if (folder_) return;
  folder_ = OwnFolder(make_temporary_folder("tandem"), Missing::kStays);
  if (!folder_) throw std::runtime_error("cannot create a temporary folder: " + folder_.problem());
}

TemporaryFolder::~TemporaryFolder() {
  for (const std::string& name : folder_.names()) folder_.remove(name);
  rmdir(folder_.path().c_str());
}

}  // namespace tandem
