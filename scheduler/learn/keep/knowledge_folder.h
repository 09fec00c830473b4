// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scheduler/learn/keep/knowledge_file.h"
#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Knowledge that outlives a process: a file for each set of stages, format, processor and device,
/// with an entry for each size and number of cores. Cores are in the entry because a bin's part of
/// them changes as others come and go: what is known of any number of them is found in one file.
///
/// Nothing here throws or fails the caller. Files that cannot be read count as absent, entries that
/// cannot be written are not kept, and take_messages() says why, once. The folder is an OwnFolder:
/// files are renamed and removed in it. Files are untrusted: only regular ones of this user are
/// read, 2 MiB at most, and every value is checked. A damaged one is renamed to end in ".bad"; one
/// of another schema stays as it is.
///
/// Any number of processes may use one folder, and any number of threads one object. Every call
/// may take as long as the disk does, and those that write wait up to 10 s for other processes:
/// call them where waiting is fine.
class KnowledgeFolder {
 public:
  /// In the cache's folder; empty where there is none.
  static std::string default_path();
  static int64_t wall_clock_s();

  /// Made, for this user alone, when the first entry is stored. `now_s`: seconds since 1970, UTC.
  explicit KnowledgeFolder(std::string path, std::function<int64_t()> now_s = wall_clock_s);

  const std::string& path() const { return path_; }

  /// Entries under these conditions with any size and any number of cores. Counts as their use.
  std::vector<Known> load(const Conditions& conditions);

  /// Whether anything is known of such stages and format on this processor, with any device. Reads
  /// files until one has it; counts as no use.
  bool knows_work(const Conditions& conditions) const;

  struct Stored {
    int kept = 0;
    int older = 0;  ///< than what is there
    int failed = 0;
  };
  /// Adds to what is there; of two trainings under the same conditions the newer one stays. Then
  /// removes what was not used for 180 days, and the least recently used beyond 8 MiB.
  Stored store(std::span<const Known> known);
  Stored store(const Known& known) { return store({&known, 1}); }

  /// All that is there, by conditions.
  std::vector<Known> list();

  /// Removes the entries that `chosen` is true of, and returns them.
  std::vector<Known> forget(const std::function<bool(const Known&)>& chosen);

  /// New messages: "/home/a/.cache/tandem/knowledge/0123456789abcdef.json: is damaged".
  std::vector<std::string> take_messages() { return messages_->take(); }

 private:
  OwnFolder open(OwnFolder::Missing missing) const;
  void tell(const std::string& file, const std::string& problem) const;
  KnowledgeFile read_or_set_aside(const OwnFolder& folder, const std::string& name,
                                  bool locked) const;
  bool write(const OwnFolder& folder, const std::string& name, std::vector<Known> known,
             const Known* keep) const;
  void store_in(const OwnFolder& folder, const std::string& name,
                std::span<const Known* const> added, Stored& stored) const;

  std::string path_;
  std::function<int64_t()> now_s_;
  std::unique_ptr<MessageBox> messages_ = std::make_unique<MessageBox>();
};

}  // namespace tandem
