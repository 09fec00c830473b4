// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/cores.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Cores, ThereIsAtLeastOne) { EXPECT_GE(usable_physical_cores(), 1); }

}  // namespace
}  // namespace tandem
