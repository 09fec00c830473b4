// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "files/temporary_folder.h"
#include "kernels/network/network.h"
#include "tests/kernels/network/onnx/model_builder.h"

namespace tandem::network::test {

/// Models in a folder of the test's.
class RefusedModels : public testing::Test {
 protected:
  ~RefusedModels() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "model.onnx") const { return folder_ + "/" + name; }

  /// The error with which a file is refused, which names the file.
  std::string error_of(const std::string& file) const {
    try {
      read_network(file);
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
      return error.what();
    }
    return "it was read";
  }

  void expect_refused(const ModelBuilder& model, const std::string& reason) const {
    model.write(path());
    const std::string error = error_of(path());
    EXPECT_NE(error.find(reason), std::string::npos) << error;
  }

  Network read(const ModelBuilder& model) const {
    model.write(path());
    return read_network(path());
  }

  const std::string folder_ = make_temporary_folder("network-test");
};

}  // namespace tandem::network::test
