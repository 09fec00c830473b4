// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/training/dataset_options.h"

#include <algorithm>

#include "files/utf8.h"

namespace tandem {

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
