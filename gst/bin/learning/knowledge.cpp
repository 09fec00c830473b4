// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/knowledge.h"

#include <cstdlib>

namespace tandem::bin {

KeptKnowledge open_knowledge(const std::string& setting) {
  if (setting == "off") return {};
  const bool read_only = setting == "read-only";
  if (!read_only && setting != "auto") return {KnowledgeKeeper::of_process(setting), true};
  const char* environment = std::getenv("TANDEM_KNOWLEDGE");
  const std::string otherwise = environment ? environment : "";
  if (!otherwise.empty() && otherwise != "auto" && otherwise != "read-only") {
    KeptKnowledge chosen = open_knowledge(otherwise);
    chosen.adds = chosen.adds && !read_only;
    return chosen;
  }
  return {KnowledgeKeeper::of_process(KnowledgeFolder::default_path()),
          !read_only && otherwise != "read-only"};
}

}  // namespace tandem::bin
