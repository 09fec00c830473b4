// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/training/training_options.h"

#include <sstream>

namespace tandem {

std::vector<Option> TrainingOptionValues::options() {
  const auto whole = [](const char* name, int* value, const char* text) {
    return option(name, *value, "N", text);
  };
  const auto real = [](const char* name, double* value, const char* text) {
    return option(name, *value, "X", text);
  };
  return {whole("seed", &seed, "Start of all random choices (1)"),
          whole("filters", &filters, "Filters of 3x3 to learn, 1 to 255 (100)"),
          whole("patches", &patches, "Patches to learn them from (1000000)"),
          whole("filter-rounds", &filter_rounds, "Rounds of k-medoids, at most (15)"),
          whole("rounds", &rounds, "Rounds of hard negatives (4)"),
          whole("jitters", &jitters, "Moved and scaled copies of each person (4)"),
          whole("random-windows", &random_windows, "First negatives of each photograph (10)"),
          whole("hard-windows", &hard_windows, "Hard negatives of each photograph and round (50)"),
          real("min-height", &min_height, "Smaller people, in pixels, are not learnt (48)"),
          real("soft-height", &soft_height,
               "Learn photographs also reduced to people of this height; 0 = do not (70)"),
          real("negative-overlap", &negative_overlap,
               "Windows that overlap people by less are learnt as mistakes (0.4)"),
          real("cost", &cost, "C of the SVM for windows without a person (0.001)"),
          real("person-cost", &person_cost, "C of the SVM for people (0.003)"),
          real("epsilon", &epsilon, "Added to the norm of each block (0.5)"),
          whole("threads", &threads, "Threads to use; 0 = one for each core (0)")};
}

TrainingOptions TrainingOptionValues::checked() const {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  require(filters >= 1 && filters <= 255, "--filters must be 1 to 255");
  require(patches >= filters, "--patches must be at least --filters");
  require(filter_rounds >= 1 && rounds >= 0 && jitters >= 0 && random_windows >= 1 &&
              hard_windows >= 1 && threads >= 0 && seed >= 0,
          "counts must not be negative, and --filter-rounds, --random-windows and --hard-windows "
          "at least 1");
  require(cost > 0 && person_cost > 0, "--cost and --person-cost must be positive");
  require(min_height >= 0 && soft_height >= 0,
          "--min-height and --soft-height must not be negative");
  require(negative_overlap > 0 && negative_overlap <= 1, "--negative-overlap must be in (0, 1]");
  require(epsilon > 0, "--epsilon must be positive");
  TrainingOptions options;
  options.seed = static_cast<uint64_t>(seed);
  options.filters = filters;
  options.patches = static_cast<std::size_t>(patches);
  options.filter_rounds = filter_rounds;
  options.rounds = rounds;
  options.jitters = jitters;
  options.random_windows = random_windows;
  options.hard_windows = hard_windows;
  options.min_height = min_height;
  options.soft_height = soft_height;
  options.negative_overlap = static_cast<float>(negative_overlap);
  options.epsilon = static_cast<float>(epsilon);
  options.svm.cost = cost;
  options.svm.person_cost = person_cost;
  return options;
}

std::string TrainingOptionValues::described() const {
  std::ostringstream out;
  out << "seed " << seed << ", filters " << filters << ", patches " << patches << ", filter-rounds "
      << filter_rounds << ", rounds " << rounds << ", jitters " << jitters << ", random-windows "
      << random_windows << ", hard-windows " << hard_windows << ", min-height " << min_height
      << ", soft-height " << soft_height << ", negative-overlap " << negative_overlap << ", cost "
      << cost << ", person-cost " << person_cost << ", epsilon " << epsilon;
  return out.str();
}

}  // namespace tandem
