// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/command_line.h"

#include <cstdio>

namespace tandem {

void parse_options(int argc, char** argv, const char* parameters, const char* summary,
                   const GOptionEntry* entries) {
  GOptionContext* context = g_option_context_new(parameters);
  g_option_context_set_summary(context, summary);
  g_option_context_add_main_entries(context, entries, nullptr);
  g_option_context_add_group(context, gst_init_get_option_group());
  GError* error = nullptr;
  g_option_context_parse(context, &argc, &argv, &error);
  g_option_context_free(context);
  if (error) {
    const std::string what = error->message;
    g_error_free(error);
    throw UsageError(what);
  }
  if (argc > 1) throw UsageError(std::string("'") + argv[1] + "' is not expected here");
}

int run_command(const char* name, const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "tandem %s: %s\nTry: tandem %s --help\n", name, e.what(), name);
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tandem %s: %s\n", name, e.what());
    return 1;
  }
}

}  // namespace tandem
