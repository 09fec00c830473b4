// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "kernels/stage_file/run/stage_call.h"
#include "kernels/stage_file/stage_file.h"

namespace tandem {

/// The machine's C compiler: $TANDEM_CC, else cc, gcc or clang of the path.
struct CCompiler {
  std::string path;     ///< empty: there is none
  std::string version;  ///< the first line that it says of itself
};
/// Looked for once a process.
const CCompiler& c_compiler();

/// Functions of a shared object, for as long as this lives.
class LoadedCode {
 public:
  explicit LoadedCode(const std::string& bytes);  ///< throws std::runtime_error
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  StageFunction find(const std::string& name) const;  ///< null: it has none of that name

 private:
  int file_ = -1;
  void* library_ = nullptr;
};

struct CompileOptions {
  bool contract = false;
  bool check = false;  ///< the code tells how far it reads
};

struct CompiledCode {
  std::string bytes;    ///< of a shared object
  bool cached = false;  ///< taken from the cache
};
/// Compiles C, or takes what an earlier process compiled for this processor with this compiler.
/// Throws StageFileError with the compiler's first complaint, std::runtime_error when there is no
/// compiler.
CompiledCode compile_c(const std::string& source, const CompileOptions& options);

}  // namespace tandem
