// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "files/hash.h"
#include "files/replace_file.h"
#include "scheduler/learn/keep/knowledge_folder.h"
#include "scheduler/learn/keep/knowledge_json.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem::test {

/// A training of two stages on two cores and a device, with something of everything.
inline Known example(int width = 600, int64_t trained_s = 1700000000) {
  Known known;
  known.conditions = {"GstVividFilter scales=3 ! GstVividHistogram",
                      "I420",
                      width,
                      416,
                      "a processor",
                      2,
                      "a device, driver 1"};
  known.trained_s = trained_s;
  Chain chain = two_stages();
  chain.lanes = {2, 4};
  chain.serial_stages = 2;
  chain.domains = {Domain::dominant, Domain::absent, Domain::additive};
  chain.tdp_w = 65;
  chain.energy_resolution_s = 1e-3;
  chain.window = 12;
  known.facts = measured(chain);
  known.facts.observations.push_back(carried_out({on_device(2, 2), Observation::Kind::glance}));
  known.facts.observations.push_back(carried_out({on_device(2, 2), Observation::Kind::look}));
  for (Observation& seen : known.facts.observations) {
    seen.frame_s *= 1 + 1e-9 * width;
    seen.watts = {10.25, kUnknown, 1.0 / 3};
    seen.starved_frames = 3;
  }
  known.chosen = Candidate{on_device(2, 2), {240.5, kUnknown, 0.75, kUnknown}};
  known.objective = {Metric::efficiency, 25, 0};
  known.allowed.mapping = Mapping{3, 2};
  known.allowed.granularity = Granularity::coarse;
  known.allowed.most_cores = 2;
  return known;
}

/// The same facts and decisions are the same text.
inline std::string text_of(const Known& known) { return write_knowledge({&known, 1}); }

/// Short enough for a failure's message.
inline std::vector<std::string> texts_of(const std::vector<Known>& known) {
  std::vector<std::string> texts;
  for (const Known& one : known) {
    texts.push_back(one.conditions.stages + " " + std::to_string(one.conditions.width) + " of " +
                    std::to_string(one.trained_s) + " #" + std::to_string(hash_of(text_of(one))));
  }
  return texts;
}

/// A folder of this test's own, with a clock that stands.
class KnowledgeTest : public testing::Test {
 protected:
  static constexpr int64_t kNow_s = 1800000000;

  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tandem-knows-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    base_ = name;
    path_ = base_ / "knowledge";
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  KnowledgeFolder open(int64_t now_s = kNow_s) const {
    return KnowledgeFolder(path_, [now_s] { return now_s; });
  }
  /// Those that hold knowledge, in order.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().filename() != ".lock") found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }

  std::filesystem::path base_, path_;
};

}  // namespace tandem::test
