// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/network_trainer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pipelines/training/random.h"

namespace tandem::streams {
namespace {

using Layer = StreamModel::Layer;
using Network = StreamModel::Network;

std::size_t parameters_of(const Network& network) {
  std::size_t count = 0;
  for (const Layer& layer : network) count += layer.weights.size() + layer.biases.size();
  return count;
}

// All rows of a batch at once, by unit and then by row, so that compilers make vectors of rows.
class Batch {
 public:
  Batch(const Network& network, std::size_t rows) : rows_(rows) {
    values_.emplace_back(network.front().inputs * rows);
    for (const Layer& layer : network) values_.emplace_back(layer.outputs * rows);
  }

  void load(const Rows& from, const std::vector<std::size_t>& order, std::size_t begin) {
    for (std::size_t r = 0; r < rows_; ++r)
      for (std::size_t i = 0; i < from.columns; ++i)
        values_[0][i * rows_ + r] = from.inputs[order[begin + r] * from.columns + i];
  }

  void forward(const Network& network) {
    for (std::size_t k = 0; k < network.size(); ++k) {
      const Layer& layer = network[k];
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        double* const out = &values_[k + 1][o * rows_];
        std::fill_n(out, rows_, layer.biases[o]);
        for (std::size_t i = 0; i < layer.inputs; ++i)
          add(out, layer.weights[o * layer.inputs + i], &values_[k][i * rows_]);
        if (k + 1 < network.size())
          for (std::size_t r = 0; r < rows_; ++r) out[r] = std::tanh(out[r]);
      }
    }
  }
  const double* output() const { return values_.back().data(); }

  // `errors`: of the output, by row. Adds to nothing: `gradient` is overwritten.
  void backward(const Network& network, std::vector<double> errors, std::vector<double>& gradient) {
    std::size_t end = parameters_of(network);
    gradient.resize(end);
    for (std::size_t k = network.size(); k-- > 0;) {
      const Layer& layer = network[k];
      std::size_t at = end - layer.weights.size() - layer.biases.size();
      end = at;
      std::vector<double> below(layer.inputs * rows_);
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        const double* const error = &errors[o * rows_];
        for (std::size_t i = 0; i < layer.inputs; ++i) {
          gradient[at++] = product(error, &values_[k][i * rows_]);
          add(&below[i * rows_], layer.weights[o * layer.inputs + i], error);
        }
      }
      for (std::size_t o = 0; o < layer.outputs; ++o)
        gradient[at++] = std::accumulate(&errors[o * rows_], &errors[o * rows_] + rows_, 0.0);
      if (k == 0) break;
      for (std::size_t i = 0; i < below.size(); ++i) {
        const double value = values_[k][i];
        below[i] *= 1 - value * value;  // of tanh
      }
      errors.swap(below);
    }
  }

 private:
  void add(double* to, double factor, const double* from) const {
    for (std::size_t r = 0; r < rows_; ++r) to[r] += factor * from[r];
  }
  double product(const double* a, const double* b) const {
    double sums[4] = {};
    std::size_t r = 0;
    for (; r + 4 <= rows_; r += 4)
      for (std::size_t j = 0; j < 4; ++j) sums[j] += a[r + j] * b[r + j];
    for (; r < rows_; ++r) sums[0] += a[r] * b[r];
    return sums[0] + sums[1] + sums[2] + sums[3];
  }

  const std::size_t rows_;
  std::vector<std::vector<double>> values_;
};

class Adam {
 public:
  explicit Adam(std::size_t count) : first_(count), second_(count) {}

  void step(Network& network, const std::vector<double>& gradient, double rate, double decay) {
    constexpr double kFirst = 0.9, kSecond = 0.999, kSmall = 1e-8;
    first_power_ *= kFirst;
    second_power_ *= kSecond;
    std::size_t at = 0;
    const auto move = [&](double& value, double pull) {
      first_[at] += (1 - kFirst) * (gradient[at] - first_[at]);
      second_[at] += (1 - kSecond) * (gradient[at] * gradient[at] - second_[at]);
      const double mean = first_[at] / (1 - first_power_);
      const double spread = std::sqrt(second_[at] / (1 - second_power_));
      value -= rate * (mean / (spread + kSmall) + pull * value);
      ++at;
    };
    for (Layer& layer : network) {
      for (double& weight : layer.weights) move(weight, decay);
      for (double& bias : layer.biases) move(bias, 0);
    }
  }

 private:
  std::vector<double> first_, second_;
  double first_power_ = 1, second_power_ = 1;
};

}  // namespace

Network make_network(std::size_t inputs, const NetworkOptions& options) {
  SplitMix64 random(options.seed);
  Network network;
  std::vector<std::size_t> sizes = options.hidden;
  sizes.push_back(1);
  for (const std::size_t outputs : sizes) {
    Layer layer{.inputs = inputs, .outputs = outputs};
    const double range = std::sqrt(6.0 / static_cast<double>(inputs + outputs));  // Glorot's
    for (std::size_t i = 0; i < inputs * outputs; ++i)
      layer.weights.push_back(range * (2 * random.uniform() - 1));
    layer.biases.assign(outputs, 0);
    network.push_back(std::move(layer));
    inputs = outputs;
  }
  return network;
}

double error_and_gradient(const Network& network, const Rows& rows,
                          const std::vector<std::size_t>& order, std::size_t begin, std::size_t end,
                          std::vector<double>& gradient) {
  const std::size_t count = end - begin;
  Batch batch(network, count);
  batch.load(rows, order, begin);
  batch.forward(network);
  std::vector<double> errors(count);
  double sum = 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t row = order[begin + r];
    const double weight = rows.weights.empty() ? 1 : rows.weights[row];
    const double error = batch.output()[r] - rows.wanted[row];
    sum += weight * error * error / 2;
    errors[r] = weight * error / static_cast<double>(count);
  }
  batch.backward(network, std::move(errors), gradient);
  return sum / static_cast<double>(count);
}

Network train_network(const Rows& rows, const NetworkOptions& options) {
  Network network = make_network(rows.columns, options);
  SplitMix64 random(options.seed ^ 0x5eedu);
  Adam adam(parameters_of(network));
  std::vector<std::size_t> order(rows.count());
  std::iota(order.begin(), order.end(), 0);
  std::vector<double> gradient;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    random.shuffle(order);
    const double turn = std::numbers::pi * epoch / options.epochs;
    const double rate = options.rate * (0.01 + 0.99 * (1 + std::cos(turn)) / 2);
    for (std::size_t at = 0; at < order.size(); at += options.batch) {
      const std::size_t end = std::min(order.size(), at + options.batch);
      error_and_gradient(network, rows, order, at, end, gradient);
      adam.step(network, gradient, rate, options.decay);
    }
  }
  return network;
}

}  // namespace tandem::streams
