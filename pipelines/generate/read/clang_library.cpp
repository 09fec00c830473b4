// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/read/clang_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tandem::generate {
namespace {

std::string package(int version) { return "libclang1-" + std::to_string(version); }

ClangLibrary load() {
  const char* const own = std::getenv("TANDEM_LIBCLANG");
  const std::string path = own ? own : newest_libclang();
  if (path.empty())
    throw std::runtime_error("libclang, which parses C, is not installed: install a package of " +
                             package(TANDEM_LIBCLANG_OLDEST) + " to " +
                             package(TANDEM_LIBCLANG_NEWEST));
  void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    throw std::runtime_error(std::string("cannot load libclang: ") +
                             (why ? why : "the loader reports no reason"));
  }
  ClangLibrary all;
#define X(name)                                                                    \
  all.name = reinterpret_cast<decltype(all.name)>(dlsym(library, "clang_" #name)); \
  if (!all.name) throw std::runtime_error("libclang is too old: no clang_" #name);
  TANDEM_CLANG_FUNCTIONS(X)
#undef X
  return all;
}

}  // namespace

std::string newest_libclang(const std::filesystem::path& folder) {
  for (int version = TANDEM_LIBCLANG_NEWEST; version >= TANDEM_LIBCLANG_OLDEST; --version) {
    const std::string number = std::to_string(version);
    const auto path = folder / ("llvm-" + number) / "lib" / ("libclang-" + number + ".so.1");
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

const ClangLibrary& clang() {
  static const ClangLibrary loaded = load();
  return loaded;
}

}  // namespace tandem::generate
