// SPDX-License-Identifier: LGPL-2.1-or-later
// How long PLAYING to NULL takes while the bin is busy: every application, several sizes, on the
// CPU in both granularities, on the device and while the bin trains. The longest of a few stops.
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

struct Application {
  const char *name, *stages;
  int letters;
};
constexpr Application kApplications[] = {
    {"vivid", "vividfilter ! vividhistogram ! vividclassifier", 3},
    {"srad",
     "sradextract ! sradprepare ! sradreduce ! sraddiffuse ! sradupdate iterations=10000 ! "
     "sradcompress",
     6},
    {"tracking", "kltpyramid ! kltfeatures ! kltflow ! klttracks", 4},
    {"scene", "scenefeatures ! sceneclassifier", 2},
};
constexpr const char* kSizes[] = {"320x240", "1920x1080", "3840x2160"};
constexpr const char* kModes[] = {"cg", "mg", "device", "training"};

std::string mapping(const Application& application, char letter) {
  return " mapping=" + std::string(application.letters, letter);
}

std::string properties(const Application& application, const std::string& mode) {
  if (mode == "cg") return "adapt=off granularity=cg" + mapping(application, 'c');
  if (mode == "mg") return "adapt=off granularity=mg" + mapping(application, 'c');
  if (mode == "device") return "adapt=off threads=1" + mapping(application, 'g');
  return "max-overhead=0.9";
}

// Seconds of one stop, after so many milliseconds of playing.
double stop_s(const Application& application, const std::string& size, const std::string& mode,
              int playing_ms) {
  const std::string::size_type x = size.find('x');
  const std::string line =
      "videotestsrc pattern=snow ! video/x-raw,format=GRAY8,width=" + size.substr(0, x) +
      ",height=" + size.substr(x + 1) + " ! tandembin.( knowledge=off opencl-device=any " +
      properties(application, mode) + " " + application.stages + " ) ! fakesink async=false";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (error) {
    std::fprintf(stderr, "%s: %s\n", line.c_str(), error->message);
    std::exit(1);
  }
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  std::this_thread::sleep_for(std::chrono::milliseconds(playing_ms));
  const auto start = Clock::now();
  gst_element_set_state(pipeline, GST_STATE_NULL);
  const double took_s = std::chrono::duration<double>(Clock::now() - start).count();
  gst_object_unref(pipeline);
  return took_s;
}

}  // namespace

// Arguments: a part of the application's name, of the size and of the mode to be measured.
int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const auto chosen = [&](int argument, const std::string& name) {
    return argc <= argument || name.find(argv[argument]) != std::string::npos;
  };
  std::printf("%-10s %-10s %-9s %s\n", "stages", "size", "mode", "longest stop (s)");
  for (const Application& application : kApplications) {
    for (const char* size : kSizes) {
      for (const char* mode : kModes) {
        if (!chosen(1, application.name) || !chosen(2, size) || !chosen(3, mode)) continue;
        double longest_s = 0;
        for (const int playing_ms : {300, 1500, 3100})
          longest_s = std::max(longest_s, stop_s(application, size, mode, playing_ms));
        std::printf("%-10s %-10s %-9s %.3f\n", application.name, size, mode, longest_s);
        std::fflush(stdout);
      }
    }
  }
}
