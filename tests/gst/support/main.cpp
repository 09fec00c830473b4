// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gst/support/frames.h"

// Tests the plugin that was built with them (TANDEM_PLUGIN), whatever is installed.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tandem::test::model_file();
  setenv("TANDEM_DATA_DIR", tandem::test::temporary_folder().c_str(), 1);
  gst_init(&argc, &argv);
  GError* error = nullptr;
  GstPlugin* plugin = gst_plugin_load_file(TANDEM_PLUGIN, &error);
  if (!plugin) {
    std::fprintf(stderr, "cannot load %s: %s\n", TANDEM_PLUGIN, error->message);
    return 1;
  }
  const int result = RUN_ALL_TESTS();
  gst_object_unref(plugin);
  return result;
}
