// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "kernels/network/network.h"

namespace tandem::network {
namespace {

TEST(NetworkStubs, SayWhatIsMissing) {
  try {
    read_network("model.onnx");
    FAIL() << "it was read";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'model.onnx'"), std::string::npos) << text;
    EXPECT_NE(text.find("this build of Tandem has no neural networks"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tandem::network
