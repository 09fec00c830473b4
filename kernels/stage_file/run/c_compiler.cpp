// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/c_compiler.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "files/regular_file.h"
#include "files/replace_file.h"
#include "files/temporary_folder.h"
#include "kernels/program_cache/program_cache.h"
#include "kernels/stage_file/run/child_process.h"
#include "kernels/stage_file/run/first_error.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kMostVersionTime{10}, kMostCompileTime{120};
constexpr std::size_t kMostBytes = 16u << 20;
constexpr const char* kSource = "stage.c";
constexpr const char* kObject = "stage.so";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), X_OK) == 0 ? fs::absolute(name).string() : "";
  const char* const path = std::getenv("PATH");
  const std::string folders = path ? path : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const std::string candidate = folders.substr(at, end - at) + "/" + name;
    if (candidate.front() == '/' && access(candidate.c_str(), X_OK) == 0) return candidate;
    at = end + 1;
  }
  return {};
}

// The version of a compiler. The query takes some 10 ms of a start, so the answer is cached for as
// long as the file stays the same.
std::string version_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {};
  const std::string key = "version of " + path + ' ' + std::to_string(status.st_ino) + ' ' +
                          std::to_string(status.st_size) + ' ' +
                          std::to_string(status.st_mtim.tv_sec) + '.' +
                          std::to_string(status.st_mtim.tv_nsec);
  const ProgramCache cache;
  std::string version = cache.load(key);
  if (!version.empty()) return version;
  const ChildResult said = run_child({path, "--version"}, kMostVersionTime);
  if (said.status != 0) return {};
  version = first_line(said.output);
  cache.store(key, version);
  return version;
}

CCompiler find_compiler() {
  std::vector<std::string> names{"cc", "gcc", "clang"};
  if (const char* own = std::getenv("TANDEM_CC")) names = {own};
  for (const std::string& name : names) {
    const std::string path = find_program(name);
    if (path.empty()) continue;
    if (const std::string version = version_of(path); !version.empty()) return {path, version};
  }
  return {};
}

// The processor, which -march=native depends on.
const std::string& processor() {
  static const std::string text = [] {
    std::ifstream file("/proc/cpuinfo");
    std::string model, flags;
    for (std::string line; std::getline(file, line) && flags.empty();) {
      if (line.starts_with("model name")) model = line;
      if (line.starts_with("flags") || line.starts_with("Features")) flags = line;
    }
    return model + '\n' + flags;
  }();
  return text;
}

constexpr std::initializer_list<const char*> kClangWords = {"-fno-caret-diagnostics", "-Xclang",
                                                            "-cl-single-precision-constant"};
// GCC makes vectors of elements only where loops in the code of one are unrolled: those of some
// hundred passes are. Passes that would multiply this code without a gain are off, as is what turns
// conditions of maps that follow each other into jumps.
constexpr std::initializer_list<const char*> kGccWords = {
    "-fdiagnostics-plain-output",
    "-fsingle-precision-constant",
    "--param=max-completely-peel-times=256",
    "--param=max-completely-peeled-insns=4000",
    "--param=max-peel-branches=4000",
    "-fno-unswitch-loops",
    "-fno-split-loops",
    "-fno-tree-pre",
    "-fno-thread-jumps",
    "-fno-move-loop-invariants"};

std::vector<std::string> words_for(const CCompiler& compiler, const CompileOptions& options) {
  std::vector<std::string> words{
      compiler.path, "-std=gnu11", "-fsigned-char",
      // The findings of a check do not depend on vectors.
      options.check ? "-O1" : "-O3", "-march=native", "-fPIC", "-shared",
      "-mprefer-vector-width=512", "-Werror=implicit-function-declaration", "-fno-math-errno",
      "-fno-trapping-math", "-fvisibility=default", "-fno-semantic-interposition",
      options.contract ? "-ffp-contract=fast" : "-ffp-contract=off"};
  const bool clang = compiler.version.find("clang") != std::string::npos;
  for (const char* word : clang ? kClangWords : kGccWords) words.emplace_back(word);
  // The prelude has what the sanitizer calls: its library, which need not be installed, is left
  // out.
  if (options.check)
    for (const char* word : {"-DTANDEM_CHECK", "-nodefaultlibs", "-fsanitize=float-cast-overflow",
                             clang ? "-fsanitize=array-bounds" : "-fsanitize=bounds"})
      words.emplace_back(word);
  return words;
}

// The compiler works in a folder of its own, which is open: it finds the source there, and leaves
// there what it makes meanwhile, whatever happens to the folder's path.
std::string compile(const CCompiler& compiler, std::vector<std::string> words,
                    const std::string& source, const OwnFolder& cache) {
  const TemporaryFolder temporary(cache);
  const OwnFolder& folder = temporary.folder();
  if (const std::string problem = replace_file(folder, kSource, source, Durable::kNo);
      !problem.empty())
    throw std::runtime_error("cannot compile a stage: " + folder.path() + "/" + kSource + " " +
                             problem);
  for (const char* word : {"-o", kObject, kSource, "-lm", "-lc"}) words.emplace_back(word);
  const ChildResult result = run_child(words, kMostCompileTime, &folder);
  // The linker's file has the rights of the umask; no other user can reach it in this folder.
  RegularFile made = read_regular_file(folder, kObject, kMostBytes, Owner::kThisUser);
  if (result.status == 0 && made.problem.empty()) return std::move(made.bytes);
  if (result.status == 0)
    throw StageFileError("the C compiler " + compiler.path + " wrote no library: it " +
                         made.problem);
  throw StageFileError("the C compiler " + compiler.path +
                       " fails: " + first_error(result.output, result.reason()));
}

}  // namespace

const CCompiler& c_compiler() {
  static const CCompiler found = find_compiler();
  return found;
}

LoadedCode::LoadedCode(const std::string& bytes) {
  const auto fail = [](const std::string& why) {
    throw std::runtime_error("cannot load a stage's code: " + why);
  };
  // Memory: what was checked is what is loaded, whatever happens to the file meanwhile. It stays
  // open, so that no other library has its name.
  file_ = FileHandle(memfd_create("tandem-stage", MFD_CLOEXEC));
  if (!file_ || !write_all(file_.number(), bytes)) fail(std::strerror(errno));
  library_ =
      dlopen(("/proc/self/fd/" + std::to_string(file_.number())).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) {
    const char* const why = dlerror();
    fail(why ? why : "the loader gives no reason");
  }
}

LoadedCode::~LoadedCode() { dlclose(library_); }

StageFunction LoadedCode::find(const std::string& name) const {
  return reinterpret_cast<StageFunction>(dlsym(library_, name.c_str()));
}

CompiledCode compile_c(const std::string& source, const CompileOptions& options) {
  const CCompiler& compiler = c_compiler();
  if (compiler.path.empty())
    throw std::runtime_error("no C compiler found: install gcc or clang, or set TANDEM_CC");
  const std::vector<std::string> words = words_for(compiler, options);
  std::string key = "stage\nversion " + std::to_string(kStageCallVersion) + '\n' +
                    compiler.version + '\n' + processor() + '\n';
  for (const std::string& word : words) key += word + ' ';
  key += '\n' + source;
  const ProgramCache cache;
  CompiledCode code{.bytes = cache.load(key)};
  code.cached = !code.bytes.empty();
  if (code.cached) return code;
  code.bytes = compile(compiler, words, source, cache.folder());
  cache.store(key, code.bytes);
  return code;
}

}  // namespace tandem
