// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/options/applications.h"

#include <vector>

#include "kernels/network/have_networks.h"
#include "pipelines/tandem/bench/chains.h"

namespace tandem {
namespace {

constexpr Size bench_size(const BenchChain& chain) { return {chain.width, chain.height}; }

constexpr const BenchChain& kVivid = kBenchChains[0];
constexpr const BenchChain& kSrad = kBenchChains[1];
constexpr const BenchChain& kTracking = kBenchChains[2];
constexpr const BenchChain& kScene = kBenchChains[3];

constexpr char kNetwork[] = "network";
constexpr char kNetworkStages[] = "dnninput ! dnnstage ! dnnboxes";

constexpr Application kApplications[] = {
    {kVivid.name, "finds people", "vividfilter ! vividhistogram ! vividclassifier", kVivid.stages,
     bench_size(kVivid), summarise_people, true},
    {kSrad.name, "removes speckle from ultrasound and radar pictures",
     "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=20 ! "
     "sradcompress",
     kSrad.stages, bench_size(kSrad), summarise_speckle},
    {kTracking.name, "follows corners from frame to frame",
     "kltpyramid ! kltfeatures ! kltflow ! klttracks", kTracking.stages, bench_size(kTracking),
     summarise_tracks},
    {kScene.name, "labels the kind of scene of each frame", "scenefeatures ! sceneclassifier",
     kScene.stages, bench_size(kScene), summarise_labels},
    {kNetwork,
     "runs a neural network (--model FILE.onnx) and marks its findings",
     kNetworkStages,
     kNetworkStages,
     {640, 480},
     summarise_findings,
     true,
     true},
};

}  // namespace

std::span<const Application> applications() { return kApplications; }

const Application& find_application(const std::string& name) {
  std::vector<std::string> names;
  for (const Application& application : kApplications) {
    if (name == application.name) return application;
    names.emplace_back(application.name);
  }
  throw UsageError("unknown application '" + name + "'" + did_you_mean(name, names) +
                   "\nThe applications:\n" + list_applications());
}

void check_model(const Application& application, const std::string& model) {
  if (!application.needs_model) return;
  if (!network::kHaveNetworks) throw UsageError(network::kNoNetworks);
  if (model.empty())
    throw UsageError("network needs --model FILE.onnx; docs/networks.md describes how to get one");
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
