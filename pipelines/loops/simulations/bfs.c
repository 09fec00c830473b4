// SPDX-License-Identifier: LGPL-2.1-or-later
// One step of a search through a graph
// data: n=64 per_node=4
// data: n=128 per_node=4
// data: n=256 per_node=4
// data: n=512 per_node=4
// data: n=1024 per_node=4
// data: n=2048 per_node=4
// random: n=1..9
// refused: 16:42: the index at which 'cost' is written is not a sum of the loops' variables and numbers: write out[i + 1] or out[y * w + x], or a reduction(+ : out[:n])
// Which nodes are written is known when the edges are read.
void bfs(int n, int per_node, const int edge[n][per_node], const int front[n], int cost[restrict n]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (front[i])
      for (int k = 0; k < per_node; k++) cost[edge[i][k]] = cost[i] + 1;
}
