// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "files/own_folder.h"
#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

inline constexpr std::size_t kMostKnowledgeFileBytes = 2u << 20;
inline constexpr const char* kKnowledgeEnding = ".json";
inline constexpr const char* kBadKnowledgeEnding = ".bad";  ///< behind the other one

/// The content of one file of knowledge.
struct KnowledgeFile {
  enum class State {
    absent,
    good,
    damaged,
    untouchable,  ///< of another schema or another user, or not to be read: it stays
  };
  State state = State::absent;
  std::vector<Known> known;
  std::string problem;  ///< where it is damaged or untouchable
};

KnowledgeFile read_knowledge_file(const OwnFolder& folder, const std::string& name);

/// Names of the files of knowledge, in order.
std::vector<std::string> knowledge_files(const OwnFolder& folder);

/// Its time of modification is that of its last use.
void mark_used(const OwnFolder& folder, const std::string& name, int64_t now_s);

/// Removes from a folder, under its lock, the files not used for too long, the least recently used
/// beyond the size limit, and unfinished ones of a killed process. Keeps `written` and untouchable
/// files.
void tidy_knowledge(const OwnFolder& folder, std::span<const std::string> written, int64_t now_s);

}  // namespace tandem
