// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/applications.h"

#include <vector>

namespace tandem {
namespace {

constexpr Application kApplications[] = {
    {"vivid",
     "finds people",
     "vividfilter ! vividhistogram ! vividclassifier",
     "vividfilter scales=1 ! vividhistogram ! vividclassifier",
     {600, 416},
     find_people},
    {"srad",
     "takes the speckle out of ultrasound and radar pictures",
     "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=20 ! "
     "sradcompress",
     "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate ! sradcompress",
     {458, 502},
     find_no_speckle},
    {"tracking",
     "follows what moves",
     "kltpyramid ! kltfeatures ! kltflow ! klttracks",
     "kltpyramid ! kltfeatures ! kltflow ! klttracks",
     {640, 480},
     find_tracks},
    {"scene",
     "says what kind of scene each frame shows",
     "scenefeatures ! sceneclassifier",
     "scenefeatures ! sceneclassifier",
     {256, 256},
     find_labels},
};

}  // namespace

std::span<const Application> applications() { return kApplications; }

const Application& find_application(const std::string& name) {
  std::vector<std::string> names;
  for (const Application& application : kApplications) {
    if (name == application.name) return application;
    names.emplace_back(application.name);
  }
  throw UsageError("there is no application '" + name + "'" + did_you_mean(name, names) +
                   " There are:\n" + list_applications());
}

std::string list_applications() {
  std::string list;
  for (const Application& application : kApplications) {
    const std::string name = application.name;
    list += (list.empty() ? "  " : "\n  ") + name + std::string(10 - name.size(), ' ') +
            application.purpose;
  }
  return list;
}

}  // namespace tandem
