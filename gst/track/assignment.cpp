// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tandem {
namespace {

// About 0.1 s on one core. Groups of 400 rows and columns, people in a dense crowd, stay below.
constexpr double kMostSteps = 1e8;

/// Disjoint sets of rows and columns; columns are numbered after the rows.
class Groups {
 public:
  explicit Groups(int size) : parent_(static_cast<std::size_t>(size)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int member) {
    while (at(member) != member) member = at(member) = at(at(member));
    return member;
  }
  void join(int a, int b) { at(find(a)) = find(b); }

 private:
  int& at(int member) { return parent_[static_cast<std::size_t>(member)]; }
  std::vector<int> parent_;
};

/// Candidates of one group, with rows and columns numbered from 0.
class Group {
 public:
  explicit Group(std::vector<PossiblePair> candidates) : candidates_(std::move(candidates)) {
    row_names_ = number(&PossiblePair::row);
    column_names_ = number(&PossiblePair::column);
  }

  void solve(std::vector<int>& column_of) const {
    if (candidates_.size() == 1) {  // most groups
      column_of[static_cast<std::size_t>(row_names_[0])] = column_names_[0];
      return;
    }
    const double rows = double(row_names_.size()), columns = double(column_names_.size());
    if (std::min(rows, columns) * rows * columns > kMostSteps)
      solve_greedily(column_of);
    else if (rows <= columns)
      solve_exactly(&PossiblePair::row, &PossiblePair::column, column_of);
    else
      solve_exactly(&PossiblePair::column, &PossiblePair::row, column_of);
  }

 private:
  // Renumbers one side; returns the old numbers.
  std::vector<int> number(int PossiblePair::*side) {
    std::vector<int> names;
    for (const PossiblePair& c : candidates_) names.push_back(c.*side);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (PossiblePair& c : candidates_)
      c.*side =
          static_cast<int>(std::lower_bound(names.begin(), names.end(), c.*side) - names.begin());
    return names;
  }

  void pair(int row, int column, std::vector<int>& column_of) const {
    column_of[static_cast<std::size_t>(row_names_[static_cast<std::size_t>(row)])] =
        column_names_[static_cast<std::size_t>(column)];
  }

  void solve_greedily(std::vector<int>& column_of) const {
    std::vector<PossiblePair> sorted = candidates_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const PossiblePair& a, const PossiblePair& b) { return a.gain > b.gain; });
    std::vector<bool> row_taken(row_names_.size()), column_taken(column_names_.size());
    for (const PossiblePair& c : sorted) {
      auto row = row_taken[static_cast<std::size_t>(c.row)];
      auto column = column_taken[static_cast<std::size_t>(c.column)];
      if (row || column) continue;
      row = column = true;
      pair(c.row, c.column, column_of);
    }
  }

  // `from` is the side with fewer members. Each of them is paired in turn, along the path that
  // lowers the sum of costs least. A pair that is no candidate costs 0, the others less.
  void solve_exactly(int PossiblePair::*from, int PossiblePair::*to,
                     std::vector<int>& column_of) const {
    const bool by_rows = from == &PossiblePair::row;
    const std::size_t n = by_rows ? row_names_.size() : column_names_.size();
    const std::size_t m = by_rows ? column_names_.size() : row_names_.size();
    std::vector<double> cost(n * m);
    for (const PossiblePair& c : candidates_)
      cost[static_cast<std::size_t>(c.*from) * m + static_cast<std::size_t>(c.*to)] = -c.gain;
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<double> from_price(n), to_price(m), distance(m);
    std::vector<std::size_t> partner(m, kNone), before(m);
    std::vector<bool> done(m);
    for (std::size_t start = 0; start < n; ++start) {
      std::fill(distance.begin(), distance.end(), std::numeric_limits<double>::infinity());
      std::fill(done.begin(), done.end(), false);
      std::size_t at = start, reached = kNone, last = kNone;
      double shortest = 0;
      do {  // Dijkstra over reduced costs, until a member of `to` without a partner is reached
        reached = kNone;
        for (std::size_t j = 0; j < m; ++j) {
          if (done[j]) continue;
          const double length = shortest + cost[at * m + j] - from_price[at] - to_price[j];
          if (length < distance[j]) {
            distance[j] = length;
            before[j] = last;
          }
          if (reached == kNone || distance[j] < distance[reached]) reached = j;
        }
        shortest = distance[reached];
        done[reached] = true;
        last = reached;
        at = partner[reached];
      } while (at != kNone);
      from_price[start] += shortest;
      for (std::size_t j = 0; j < m; ++j) {
        if (!done[j] || j == reached) continue;
        from_price[partner[j]] += shortest - distance[j];
        to_price[j] -= shortest - distance[j];
      }
      for (std::size_t j = reached; j != kNone;) {
        const std::size_t previous = before[j];
        partner[j] = previous == kNone ? start : partner[previous];
        j = previous;
      }
    }
    for (std::size_t j = 0; j < m; ++j) {
      if (partner[j] == kNone || cost[partner[j] * m + j] == 0) continue;
      const int i = static_cast<int>(partner[j]), other = static_cast<int>(j);
      pair(by_rows ? i : other, by_rows ? other : i, column_of);
    }
  }

  std::vector<PossiblePair> candidates_;
  std::vector<int> row_names_, column_names_;
};

}  // namespace

std::vector<int> assign(int rows, int columns, std::span<const PossiblePair> candidates) {
  Groups groups(rows + columns);
  std::vector<PossiblePair> sorted;
  for (const PossiblePair& c : candidates) {
    if (!(c.gain > 0)) continue;
    sorted.push_back(c);
    groups.join(c.row, rows + c.column);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const PossiblePair& a, const PossiblePair& b) {
    return groups.find(a.row) < groups.find(b.row);
  });
  std::vector<int> column_of(static_cast<std::size_t>(rows), -1);
  for (auto first = sorted.begin(); first != sorted.end();) {
    const int group = groups.find(first->row);
    const auto end =
        std::find_if(first, sorted.end(), [&](auto& c) { return groups.find(c.row) != group; });
    Group({first, end}).solve(column_of);
    first = end;
  }
  return column_of;
}

}  // namespace tandem
