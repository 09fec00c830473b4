// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/network/network.h"
#include "tests/kernels/network/tensors.h"

namespace tandem::network::test {

/// A graph of make_graphs.py with its inputs and what they become.
struct Graph {
  std::string path;
  Network network;
  std::vector<Elements> inputs, expected;  ///< in the order of the network's
};

/// The graphs in a folder, by name.
inline std::vector<std::string> graphs_in(const std::filesystem::path& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// The elements of `values` in a file, one after the other. Throws if the file has more or fewer.
inline std::vector<Elements> read_elements(const std::string& path, const Network& network,
                                           const std::vector<int>& values) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Elements> all;
  for (const int value : values) {
    all.emplace_back(static_cast<std::size_t>(elements(network.of(value).shape)));
    file.read(reinterpret_cast<char*>(all.back().data()),
              static_cast<std::streamsize>(all.back().size() * sizeof(float)));
  }
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(path + " has not the elements of its network");
  return all;
}

/// Throws what read_network() does.
inline Graph read_graph(const std::string& path) {
  Graph graph{path, read_network(path), {}, {}};
  const std::string stem = std::filesystem::path(path).replace_extension();
  graph.inputs = read_elements(stem + ".in", graph.network, graph.network.inputs);
  graph.expected = read_elements(stem + ".out", graph.network, graph.network.outputs);
  return graph;
}

}  // namespace tandem::network::test
