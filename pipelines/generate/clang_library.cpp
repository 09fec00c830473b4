// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/clang_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tandem::generate {
namespace {

ClangLibrary load() {
  const char* const own = std::getenv("TANDEM_LIBCLANG");
  void* const library = dlopen(own ? own : TANDEM_LIBCLANG, RTLD_LAZY | RTLD_LOCAL);
  if (!library) throw std::runtime_error(std::string("libclang is not there: ") + dlerror());
  ClangLibrary all;
#define X(name)                                                           \
  all.name = reinterpret_cast<decltype(all.name)>(dlsym(library, #name)); \
  if (!all.name) throw std::runtime_error("libclang is too old: no " #name);
  TANDEM_CLANG_FUNCTIONS(X)
#undef X
  return all;
}

}  // namespace

const ClangLibrary& clang() {
  static const ClangLibrary loaded = load();
  return loaded;
}

}  // namespace tandem::generate
