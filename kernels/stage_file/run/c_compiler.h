// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "files/file_handle.h"
#include "kernels/stage_file/run/stage_call.h"
#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// The machine's C compiler: $TANDEM_CC, or the first of cc, gcc and clang in the path.
struct CCompiler {
  std::string path;     ///< empty: none found
  std::string version;  ///< first line of its --version
};
/// The search runs once a process.
const CCompiler& c_compiler();

/// The functions of a shared object, valid during its lifetime.
class LoadedCode {
 public:
  explicit LoadedCode(const std::string& bytes);  ///< throws std::runtime_error
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  StageFunction find(const std::string& name) const;  ///< null: not found

 private:
  FileHandle file_;
  void* library_ = nullptr;
};

struct CompileOptions {
  bool contract = false;
  bool check = false;  ///< a checking build: the code records how far it reads
};

struct CompiledCode {
  std::string bytes;    ///< of a shared object
  bool cached = false;  ///< from the cache
};
/// Compiles C, or loads from the cache the result of this compiler for this processor. Throws
/// StageFileError with the compiler's first error, std::runtime_error without a compiler.
CompiledCode compile_c(const std::string& source, const CompileOptions& options);

}  // namespace tandem
