// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/scheduler/learn/kept_knowledge.h"
#include "tests/support/json_mutator.h"

namespace tandem::test {
namespace {

constexpr int kMutations = 10000;

// What passes the checks can be interpreted, ranked, written and read again.
TEST(KnowledgeFuzz, NothingThatIsReadDoesHarm) {
  const Known small = example();
  JsonMutator mutator(text_of(small), 20260711);
  int good = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutator.make();
    SCOPED_TRACE(i);
    const KnowledgeText read = read_knowledge(text);
    if (!read.problem.empty()) {
      ASSERT_TRUE(read.known.empty());
      continue;
    }
    ++good;
    ASSERT_EQ(read_knowledge(write_knowledge(read.known)).problem, "");
    for (const Known& known : read.known) {
      const Learnt learnt = learnt_of(known);
      if (known.facts.chain.cores > 64) continue;  // ranking so many takes its time
      (void)next_experiment(known.facts, learnt.findings, known.objective, known.allowed);
    }
  }
  EXPECT_GT(good, kMutations / 50) << "the checks were the only thing that was tested";
  EXPECT_LT(good, kMutations / 2);
}

class KnowledgeFuzzFiles : public KnowledgeTest {};

TEST_F(KnowledgeFuzzFiles, AFolderOutlivesWhateverIsInIt) {
  Known small = example();
  small.facts.observations.resize(4);
  open().store(small);
  const std::filesystem::path file = files().at(0);
  JsonMutator mutator(text_of(small), 5);
  for (int i = 0; i < 300; ++i) {
    const std::string text = mutator.make();
    ASSERT_EQ(replace_file(file, text, Durable::kNo), "");
    const bool damaged = !read_knowledge(text).problem.empty();
    const bool other = read_knowledge(text).other_schema;
    KnowledgeFolder folder = open();
    (void)folder.load(small.conditions);
    EXPECT_EQ(folder.take_messages().size(), damaged ? 1U : 0U);
    EXPECT_EQ(folder.store(small).failed, other ? 1 : 0);
    if (!other) {
      EXPECT_FALSE(folder.load(small.conditions).empty());
    }
  }
}

}  // namespace
}  // namespace tandem::test
