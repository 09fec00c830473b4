// SPDX-License-Identifier: LGPL-2.1-or-later
// What stage files cost: against code that is written by hand, on one core and on the device;
// fusing; what tandembin chooses for a chain of them; and how soon a process has its first frame.
//   kernelstage_bench [--opencl-device any] [--parts sobel,vivid,fused,elements,chosen,...]
//   [--rounds 15]
#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/gst/bench/kernelstage/rows.h"
#include "tests/gst/support/bench_search.h"

namespace tandem {
namespace {

constexpr struct {
  const char* name;
  void (*run)(const StageBench&);
} kParts[] = {{"sobel", bench_sobel},   {"vivid", bench_vivid},
              {"fused", bench_fused},   {"elements", bench_elements},
              {"chosen", bench_chosen}, {"chosen-elements", bench_elements_chosen},
              {"start", bench_start}};

std::shared_ptr<opencl::Context> open(const std::string& device) {
  try {
    return opencl::Context::open(device);
  } catch (const opencl::Error& error) {
    std::printf("no device: %s\n", error.what());
    return nullptr;
  }
}

void run(int argc, char** argv) {
  StageBench bench;
  bench.device = "any";
  std::string parts = "sobel,vivid,fused,elements,chosen,chosen-elements,start", folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--opencl-device")
      bench.device = value;
    else if (name == "--parts")
      parts = value;
    else if (name == "--rounds")
      bench.rounds = std::atoi(value.c_str());
    else if (name == "--start-once")
      folder = value;
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (!folder.empty()) return start_once(bench.device, folder);
  bench.context = open(bench.device);
  std::printf(
      "device: %s\n\n| work | side | other, ms | stage file, ms | ratio | of bests | bar | reached "
      "|\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
      bench.context ? bench.context->device().name.c_str() : "none");
  const std::vector<std::string> chosen = split_commas(parts);
  for (const auto& part : kParts)
    if (std::ranges::find(chosen, part.name) != chosen.end()) part.run(bench);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  try {
    tandem::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernelstage_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
