// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/c_compiler.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "kernels/program_cache/program_cache.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(CCompiler, CompilesOnceAndWithoutACacheToo) {
  const std::string folder = testing::TempDir() + "c_compiler_" + std::to_string(getpid());
  fs::remove_all(folder);
  setenv("TANDEM_CACHE_DIR", folder.c_str(), 1);
  const std::string source = "int f(void) { return 3; }\n";
  EXPECT_FALSE(compile_c(source, {}).cached);
  EXPECT_TRUE(compile_c(source, {}).cached);
  // Many users with a group of their own have it.
  const mode_t before = umask(S_IWOTH);
  EXPECT_FALSE(compile_c(source, {.contract = true}).cached);
  umask(before);
  EXPECT_EQ(ProgramCache::take_notice(), "");
  chmod(folder.c_str(), 0777);
  const CompiledCode open = compile_c(source, {});
  EXPECT_FALSE(open.cached);
  EXPECT_NE(ProgramCache::take_notice(), "");
  EXPECT_TRUE(LoadedCode(open.bytes).find("f"));
  for (const auto& entry : fs::directory_iterator(folder + "/programs"))
    EXPECT_FALSE(fs::is_directory(entry)) << entry << ": a temporary folder is left";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tandem
