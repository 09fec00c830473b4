// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdio>
#include <set>

#include "files/parse_number.h"
#include "files/regular_file.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/knowledge/knowledge_text.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/text_output.h"
#include "scheduler/learn/keep/knowledge_folder.h"
#include "scheduler/learn/keep/knowledge_json.h"

namespace tandem {
namespace {

constexpr std::size_t kMostImportBytes = 16u << 20;
constexpr double kDay_s = 24 * 3600;

struct Words {
  std::string action;
  std::vector<std::string> operands;
  std::optional<double> older_than_days;
};

using Action = int (*)(KnowledgeFolder& folder, const Words& words);

void expect_operands(const Words& words, std::size_t count, const std::string& example) {
  if (words.operands.size() == count) return;
  if (words.operands.size() > count)
    throw UsageError("'" + words.operands[count] +
                     "' is not expected here; write: tandem knowledge " + example);
  throw UsageError("knowledge " + words.action +
                   " needs one more argument, as in: tandem knowledge " + example);
}

// The place in `all` of the entry that `list` calls so.
std::size_t place_of(const std::string& text, const std::vector<Known>& all) {
  const auto number = parse_number<std::size_t>(text);
  if (!number) throw UsageError("'" + text + "' is not the number of an entry, such as 1");
  if (*number >= 1 && *number <= all.size()) return *number - 1;
  throw Failure(
      "there is no entry " + text + ": " +
          (all.empty() ? "nothing has been learned" : "there are " + std::to_string(all.size())),
      "`tandem knowledge list` lists the entries.");
}

int list(KnowledgeFolder& folder, const Words& words) {
  expect_operands(words, 0, "list");
  const std::vector<Known> all = folder.list();
  if (all.empty()) {
    std::puts("Nothing has been learned yet.");
  } else {
    std::fputs(list_text(all, KnowledgeFolder::wall_clock_s()).c_str(), stdout);
  }
  return 0;
}

int show(KnowledgeFolder& folder, const Words& words) {
  expect_operands(words, 1, "show 1");
  const std::vector<Known> all = folder.list();
  const Known& one = all[place_of(words.operands[0], all)];
  std::fputs(show_text(one, KnowledgeFolder::wall_clock_s()).c_str(), stdout);
  return 0;
}

int forget(KnowledgeFolder& folder, const Words& words) {
  const bool by_age = words.older_than_days.has_value();
  if (by_age != words.operands.empty())
    throw UsageError(
        "knowledge forget needs numbers of entries, `all` or --older-than DAYS, as in: tandem "
        "knowledge forget 1");
  const bool everything = words.operands == std::vector<std::string>{"all"};
  const std::vector<Known> all = folder.list();
  std::set<std::pair<Conditions, int64_t>> named;
  if (!everything) {
    for (const std::string& text : words.operands) {
      const Known& one = all[place_of(text, all)];
      named.emplace(one.conditions, one.trained_s);
    }
  }
  const int64_t now_s = KnowledgeFolder::wall_clock_s();
  const auto chosen = [&](const Known& one) {
    if (by_age) return static_cast<double>(now_s - one.trained_s) > *words.older_than_days * kDay_s;
    return everything || named.contains({one.conditions, one.trained_s});
  };
  const auto wanted = std::ranges::count_if(all, chosen);
  const std::vector<Known> gone = folder.forget(chosen);
  for (const Known& one : gone) std::printf("forgot %s\n", describe(one.conditions).c_str());
  if (wanted == 0) std::puts("No entry matches: nothing was removed.");
  return std::ssize(gone) < wanted ? 1 : 0;
}

int export_to(KnowledgeFolder& folder, const Words& words) {
  expect_operands(words, 1, "export knowledge.json");
  const std::string& path = words.operands[0];
  TextOutput output("export", path);
  const std::vector<Known> all = folder.list();
  output.write(write_knowledge(all));
  if (output.is_standard_output()) return 0;
  std::printf("wrote %zu entries to %s\n", all.size(), path.c_str());
  return 0;
}

int import_from(KnowledgeFolder& folder, const Words& words) {
  expect_operands(words, 1, "import knowledge.json");
  const std::string& path = words.operands[0];
  const RegularFile file = read_regular_file(path, kMostImportBytes);
  if (!file.problem.empty()) throw Failure("'" + path + "' " + file.problem);
  const KnowledgeText read = read_knowledge(file.bytes);
  if (!read.problem.empty())
    throw Failure("'" + path + "': " + read.problem,
                  "This command reads what `tandem knowledge export FILE` writes.");
  const KnowledgeFolder::Stored stored = folder.store(read.known);
  std::printf("imported %d of %zu", stored.kept, read.known.size());
  if (stored.older > 0) std::printf("; %d older than the stored entry", stored.older);
  if (stored.failed > 0) std::printf("; %d cannot be stored", stored.failed);
  std::puts("");
  return stored.failed > 0 ? 1 : 0;
}

int path(KnowledgeFolder& folder, const Words& words) {
  expect_operands(words, 0, "path");
  std::puts(folder.path().c_str());
  return 0;
}

constexpr std::pair<std::string_view, Action> kActions[] = {
    {"list", list},        {"show", show},          {"forget", forget},
    {"export", export_to}, {"import", import_from}, {"path", path},
};

Action find_action(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, action] : kActions) {
    if (known == name) return action;
    names.emplace_back(known);
  }
  throw UsageError("knowledge has no action '" + name + "'" + did_you_mean(name, names));
}

}  // namespace

int knowledge_command(const std::vector<std::string>& arguments) {
  Words words;
  std::string path = KnowledgeFolder::default_path();
  OptionParser parser(
      "knowledge",
      "Shows and changes the knowledge of earlier runs (docs/knowledge.md).\n\n"
      "  list          a line an entry, with its number\n"
      "  show N        the measurements and trials of an entry\n"
      "  forget N...   removes entries; also: forget all, forget --older-than DAYS\n"
      "  export FILE   writes all entries to one file; - is standard output\n"
      "  import FILE   adds the entries of such a file; of two trainings the newer one stays\n"
      "  path          the folder");
  parser.add("folder", path, "DIR", "another folder than the one of the cache");
  parser.add("older-than", words.older_than_days, "DAYS",
             "forget: entries that were trained before that");
  parser.add_operands(words.operands, "list|show|forget|export|import|path");
  parser.parse(arguments);
  if (words.operands.empty())
    throw UsageError("knowledge needs an action, as in: tandem knowledge list");
  words.action = words.operands.front();
  words.operands.erase(words.operands.begin());
  const Action action = find_action(words.action);
  if (words.older_than_days) {
    if (words.action != "forget") throw UsageError("--older-than goes with forget alone");
    if (*words.older_than_days < 0) throw UsageError("--older-than: the days are below 0");
  }
  if (path.empty())
    throw Failure("there is no folder for knowledge",
                  "Set XDG_CACHE_HOME to a folder that can be written.");
  KnowledgeFolder folder(path);
  // However the action ends.
  const struct MessagePrinter {
    KnowledgeFolder& folder;
    ~MessagePrinter() {
      for (const std::string& text : folder.take_messages())
        std::fprintf(stderr, "tandem: %s\n", text.c_str());
    }
  } printer{folder};
  return action(folder, words);
}

}  // namespace tandem
