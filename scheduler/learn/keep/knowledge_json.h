// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

/// The schema of written files; no other is read. Goes up with every change of the fields.
inline constexpr int kKnowledgeSchema = 1;

/// A JSON text, an entry a line (docs/knowledge.md has the fields). Unknown values are null. Throws
/// std::exception where a text among the conditions is not UTF-8.
std::string write_knowledge(std::span<const Known> known);

struct KnowledgeText {
  std::vector<Known> known;
  std::string problem;        ///< "field 'entries[0].width' is missing"; then nothing is known
  bool other_schema = false;  ///< that is the problem: another Tandem can read it
};

/// Reads what write_knowledge() wrote, or anybody else: every value is checked, so that what comes
/// out can be interpreted. Entries with a `lane_prior`, which earlier versions wrote, are left out.
/// Throws nothing but std::bad_alloc.
KnowledgeText read_knowledge(const std::string& text);

}  // namespace tandem
