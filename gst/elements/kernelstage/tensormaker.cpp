// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/kernelstage/tensormaker.h"

#include <glib.h>

#include <string_view>
#include <utility>

#include "gst/elements/klt/klttensors.h"
#include "gst/elements/scene/scenetensors.h"
#include "gst/elements/srad/sradwork.h"
#include "gst/elements/vivid/vividtensors.h"
#include "kernels/klt_features/klt_features.h"
#include "kernels/stage_file/parse/names.h"

namespace tandem {

const char* maker_of(const std::string& tensor) {
  constexpr std::pair<std::string_view, const char*> kMakers[] = {
      {kVividIndex, "vividfilter"},       {kVividWeight, "vividfilter"},
      {kVividLevels, "vividfilter"},      {kVividHistogram, "vividhistogram"},
      {kVividScore, "vividclassifier"},   {kKltPrevious, "kltpyramid"},
      {kKltCurrent, "kltpyramid"},        {kKltFeatures, "kltfeatures"},
      {kKltVectors, "kltflow"},           {kSceneSpace, "scenefeatures"},
      {kSceneMargins, "sceneclassifier"}, {kSradImage, "sradextract"},
      {kSradSquares, "sradprepare"},      {kSradStatistics, "sradreduce"},
      {kSradDifferences, "sraddiffuse"},  {kSradCoefficient, "sraddiffuse"},
  };
  for (const auto& [name, element] : kMakers)
    if (name == tensor) return element;
  const bool named = problem_of_name(tensor).empty();
  return g_intern_string(
      ("a kernelstage whose file has 'WRITE " + (named ? tensor : "... as=" + tensor) + "'")
          .c_str());
}

std::string rows_setting(const std::string& tensor, int rows) {
  if ((tensor != kKltFeatures && tensor != kKltVectors) || rows < 1 || rows > kKltMostFeatures)
    return {};
  return ": set kltfeatures features=" + std::to_string(rows);
}

}  // namespace tandem
