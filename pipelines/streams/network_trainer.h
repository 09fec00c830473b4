// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "model/stream_model.h"

namespace tandem::streams {

struct NetworkOptions {
  std::vector<std::size_t> hidden{9, 9, 9};
  int epochs = 80;
  std::size_t batch = 64;
  double rate = 5e-3;   ///< of Adam at first; falls to a hundredth along half a cosine
  double decay = 1e-4;  ///< of weights, with each step of rate 1
  uint64_t seed = 1;    ///< of weights and of the order of rows
};

/// Rows of inputs with the target of each.
struct Rows {
  std::size_t columns = 0;
  std::vector<double> inputs;  ///< row by row
  std::vector<double> wanted;
  std::vector<double> weights;  ///< of rows; empty: all 1
  std::size_t count() const { return wanted.size(); }
};

/// A network with tanh between layers and small random weights.
StreamModel::Network make_network(std::size_t inputs, const NetworkOptions& options);

/// Half the mean squared error over rows [begin, end) of `order`, and its gradient, laid out as the
/// network's weights and biases are, layer by layer.
double error_and_gradient(const StreamModel::Network& network, const Rows& rows,
                          const std::vector<std::size_t>& order, std::size_t begin, std::size_t end,
                          std::vector<double>& gradient);

/// By Adam on batches. The same for the same seed.
StreamModel::Network train_network(const Rows& rows, const NetworkOptions& options);

}  // namespace tandem::streams
