// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/training/training_options.h"

#include <algorithm>
#include <sstream>

#include "files/utf8.h"

namespace tandem {

std::vector<Option> training_options(TrainingOptions& o) {
  const auto whole = [](const char* name, auto& value, const char* text) {
    return option(name, value, "N", text);
  };
  const auto real = [](const char* name, auto& value, const char* text) {
    return option(name, value, "X", text);
  };
  return {whole("seed", o.seed, "Start of all random choices (1)"),
          whole("filters", o.filters, "Filters of 3x3 to learn, 1 to 255 (100)"),
          whole("patches", o.patches, "Patches to learn them from (1000000)"),
          whole("filter-rounds", o.filter_rounds, "Rounds of k-medoids, at most (15)"),
          whole("rounds", o.rounds, "Rounds of hard negatives (4)"),
          whole("jitters", o.jitters, "Moved and scaled copies of each person (4)"),
          whole("random-windows", o.random_windows, "First negatives of each photograph (10)"),
          whole("hard-windows", o.hard_windows, "Hard negatives of each photograph and round (50)"),
          real("min-height", o.min_height, "Smaller people, in pixels, are not learnt (48)"),
          real("soft-height", o.soft_height,
               "Learn photographs also reduced to people of this height; 0 = do not (70)"),
          real("negative-overlap", o.negative_overlap,
               "Windows that overlap people by less are learnt as mistakes (0.4)"),
          real("cost", o.svm.cost, "C of the SVM for windows without a person (0.001)"),
          real("person-cost", o.svm.person_cost, "C of the SVM for people (0.003)"),
          real("epsilon", o.epsilon, "Added to the norm of each block (0.5)")};
}

void check_training_options(const TrainingOptions& o) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  require(o.filters >= 1 && o.filters <= 255, "--filters must be 1 to 255");
  require(o.patches >= static_cast<std::size_t>(o.filters), "--patches must be at least --filters");
  require(o.filter_rounds >= 1 && o.rounds >= 0 && o.jitters >= 0 && o.random_windows >= 1 &&
              o.hard_windows >= 1,
          "counts must not be negative, and --filter-rounds, --random-windows and --hard-windows "
          "at least 1");
  require(o.svm.cost > 0 && o.svm.person_cost > 0, "--cost and --person-cost must be positive");
  require(o.min_height >= 0 && o.soft_height >= 0,
          "--min-height and --soft-height must not be negative");
  require(o.negative_overlap > 0 && o.negative_overlap <= 1,
          "--negative-overlap must be in (0, 1]");
  require(o.epsilon > 0, "--epsilon must be positive");
}

std::string described(const TrainingOptions& o) {
  std::ostringstream out;
  out << "seed " << o.seed << ", filters " << o.filters << ", patches " << o.patches
      << ", filter-rounds " << o.filter_rounds << ", rounds " << o.rounds << ", jitters "
      << o.jitters << ", random-windows " << o.random_windows << ", hard-windows " << o.hard_windows
      << ", min-height " << o.min_height << ", soft-height " << o.soft_height
      << ", negative-overlap " << o.negative_overlap << ", cost " << o.svm.cost << ", person-cost "
      << o.svm.person_cost << ", epsilon " << o.epsilon;
  return out.str();
}

std::vector<Option> dataset_options(DatasetOptions& values) {
  return {option("label", values.label, "NAME",
                 "The class whose boxes count, as the dataset calls it (person)", 'l'),
          option("format", values.format, "NAME",
                 "Format of the dataset: penn-fudan, mot, voc, coco or yolo (found out)"),
          option("split", values.split, "NAME",
                 "Read only this part of it, as in trainval or val2017 (all)")};
}

void check_dataset_options(const DatasetOptions& values) {
  if (!is_utf8(values.label) || values.label.find('\n') != std::string::npos)
    throw UsageError("--label must be one line of UTF-8");
  if (values.format.empty()) return;
  const std::vector<std::string> known(dataset_formats().begin(), dataset_formats().end());
  if (std::find(known.begin(), known.end(), values.format) == known.end())
    throw UsageError("--format: there is no '" + values.format + "'" +
                     did_you_mean(values.format, known));
}

}  // namespace tandem
