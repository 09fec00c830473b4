// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/generate/loop_program.h"

namespace tandem::generate {

bool can_read_loops() { return false; }

LoopProgram read_loops(const std::string&, const std::string&, const GenerateOptions&, bool) {
  throw std::runtime_error("this build has no libclang");
}

}  // namespace tandem::generate
