// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem {

/// The chains of stages that `tandem bench` and the project's benches put into tandembin.
struct BenchChain {
  const char* name;  ///< of the application
  const char* stages;
  int width, height;  ///< of its small frames, pixels
};

inline constexpr BenchChain kBenchChains[] = {
    {"vivid", "vividfilter scales=1 ! vividhistogram ! vividclassifier", 600, 416},
    {"srad", "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate ! sradcompress",
     458, 502},
    {"tracking", "kltpyramid ! kltfeatures ! kltflow ! klttracks", 640, 480},
    {"scene", "scenefeatures ! sceneclassifier", 256, 256},
};

}  // namespace tandem
