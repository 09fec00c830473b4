// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/confusion.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "kernels/scene_classifier/scene_model.h"

namespace tandem {

Confusion::Confusion(const std::vector<ScenePicture>& pictures,
                     const std::vector<std::vector<float>>& margins, int classes)
    : counts_(classes, std::vector<int>(classes)), unlabelled_(classes) {
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const ScenePicture& picture = pictures[i];
    if (picture.descriptors.empty())
      ++unlabelled_[picture.label];
    else
      ++counts_[picture.label][best_class(margins[i].data(), classes)];
  }
}

int Confusion::pictures(int label) const {
  return std::accumulate(counts_[label].begin(), counts_[label].end(), unlabelled_[label]);
}

std::optional<double> Confusion::accuracy(int label) const {
  const int all = pictures(label);
  if (all == 0) return std::nullopt;
  return static_cast<double>(counts_[label][label]) / all;
}

double Confusion::accuracy() const {
  int right = 0, all = 0;
  for (int c = 0; c < classes(); ++c) {
    right += counts_[c][c];
    all += pictures(c);
  }
  return all == 0 ? 0 : static_cast<double>(right) / all;
}

double Confusion::mean_accuracy() const {
  double sum = 0;
  int with_pictures = 0;
  for (int c = 0; c < classes(); ++c)
    if (const std::optional<double> one = accuracy(c)) {
      sum += *one;
      ++with_pictures;
    }
  return with_pictures == 0 ? 0 : sum / with_pictures;
}

std::string Confusion::table(const std::vector<std::string>& labels) const {
  std::size_t width = 5;
  for (const std::string& label : labels) width = std::max(width, label.size());
  const bool any_unlabelled =
      std::any_of(unlabelled_.begin(), unlabelled_.end(), [](int count) { return count > 0; });
  const auto padded = [&](const std::string& text) {
    return text + std::string(width - text.size(), ' ');
  };
  std::string out = padded("class") + "  accuracy  taken for" +
                    (any_unlabelled ? ", at the end for none\n" : "\n");
  for (int c = 0; c < classes(); ++c) {
    char text[32] = "         -";
    if (const std::optional<double> one = accuracy(c))
      std::snprintf(text, sizeof text, "    %5.1f%%", 100 * *one);
    out += padded(labels[c]) + text;
    std::vector<int> row = counts_[c];
    if (any_unlabelled) row.push_back(unlabelled_[c]);
    for (const int count : row) {
      std::snprintf(text, sizeof text, " %5d", count);
      out += text;
    }
    out += '\n';
  }
  return out;
}

}  // namespace tandem
