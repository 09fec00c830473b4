// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints as JSON what GStreamer knows of Tandem's plugin, and what its elements put on frames and
// tell when they run: what docs/reference.md is made of.
//
//   describe_plugin libgsttandem.so
#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "tools/reference/elements.h"
#include "tools/reference/running.h"

namespace tandem::reference {
namespace {

void describe(const char* file) {
  GError* error = nullptr;
  const ObjectRef<GstPlugin> plugin(gst_plugin_load_file(file, &error));
  if (!plugin) {
    const std::string why = error->message;
    g_error_free(error);
    throw std::runtime_error(why);
  }
  nlohmann::ordered_json elements = nlohmann::ordered_json::array();
  for (const std::string& name : element_names(plugin.get()))
    elements.push_back(describe_element(name));
  const nlohmann::ordered_json all = {{"elements", elements},
                                      {"chains", application_chains()},
                                      {"tensor-frame", {kWidth, kHeight}},
                                      {"tensors", describe_tensors()},
                                      {"structures", describe_telling()}};
  std::puts(all.dump(1).c_str());
}

}  // namespace
}  // namespace tandem::reference

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  if (argc != 2) {
    std::fputs("usage: describe_plugin libgsttandem.so\n", stderr);
    return 2;
  }
  try {
    tandem::reference::describe(argv[1]);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "describe_plugin: %s\n", e.what());
    return 1;
  }
}
