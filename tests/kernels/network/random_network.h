// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/network/network.h"

/// Networks built by hand or at random, for the checks of both sides.
namespace tandem::check {

/// Elements of one value, 64-byte aligned.
class Elements {
 public:
  explicit Elements(std::size_t count = 0);
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return data_[i]; }
  float operator[](std::size_t i) const { return data_[i]; }

 private:
  struct Free {
    void operator()(float* data) const;
  };
  std::size_t size_;
  std::unique_ptr<float[], Free> data_;
};

/// Adds values and steps one by one. Constants are random unless given.
class NetworkBuilder {
 public:
  explicit NetworkBuilder(std::mt19937& random) : random_(random) {}

  /// The least and the greatest random element of inputs and constants.
  float least = -1, greatest = 1;

  int input(network::Shape shape);
  int constant(network::Shape shape, std::vector<float> elements);
  int constant(network::Shape shape);
  /// Appends a step and returns its output.
  int step(network::Operation operation, std::vector<int> inputs, network::Shape output,
           network::Activation activation = {});
  /// A convolution with constants of its own. `residual` may be network::kAbsent.
  int convolution(int image, int channels, network::Convolution convolution, bool bias = true,
                  int residual = network::kAbsent, network::Activation activation = {});
  const network::Shape& shape(int value) const { return network_.of(value).shape; }
  std::mt19937& random() { return random_; }

  /// The network with these outputs.
  std::shared_ptr<const network::Network> finish(std::vector<int> outputs);

 private:
  int add(const std::string& name, network::Shape shape);

  std::mt19937& random_;
  network::Network network_;
};

/// Samples of `window` along `axis` of an image with `in` samples.
int window_samples(const network::Window& window, int axis, int in);

/// Values of a network's inputs, or room for its outputs.
std::vector<Elements> random_inputs(std::mt19937& random, const network::Network& network,
                                    float least = -1, float greatest = 1);
std::vector<Elements> room_for_outputs(const network::Network& network);
std::vector<const float*> read_only(const std::vector<Elements>& values);
std::vector<float*> writable(std::vector<Elements>& values);

/// A network and elements of its inputs.
struct RandomCase {
  std::shared_ptr<const network::Network> network;
  std::vector<Elements> inputs;
};

/// One step with random shapes, attributes and activation. `operation` is an index of
/// network::Operation.
RandomCase random_step(std::mt19937& random, std::size_t operation);

/// About `steps` steps on images whose values are shared: residual additions, concatenations of
/// parts that others read, slices, resizing. Several inputs and outputs.
RandomCase random_network(std::mt19937& random, int steps);

/// The outputs of network_ref().
std::vector<Elements> reference_outputs(const network::Network& network,
                                        const std::vector<Elements>& inputs);

/// Whether each output differs by at most `tolerance` of its largest expected value.
testing::AssertionResult close_to(const network::Network& network,
                                  const std::vector<Elements>& expected,
                                  const std::vector<Elements>& found, float tolerance = 1e-4f);

/// The steps of a network in words, for messages.
std::string describe(const network::Network& network);

}  // namespace tandem::check
