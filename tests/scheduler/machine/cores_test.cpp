// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/cores.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

TEST(Cores, ThereIsAtLeastOne) { EXPECT_GE(usable_physical_cores(), 1); }

TEST(Cores, TheProcessorIsTheFirstOfCpuinfo) {
  EXPECT_EQ(processor_name("processor\t: 0\nmodel name\t: An X: 9\n\nmodel name\t: B\n"),
            "An X: 9");
  EXPECT_EQ(processor_name("processor\t: 0\n"), "");
  EXPECT_EQ(processor_name(""), "");
}

}  // namespace
}  // namespace tandem
