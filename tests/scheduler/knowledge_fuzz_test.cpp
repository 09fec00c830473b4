// SPDX-License-Identifier: LGPL-2.1-or-later
#include <nlohmann/json.hpp>
#include <random>

#include "tests/scheduler/kept_knowledge.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

constexpr int kMutations = 10000;

class Mutator {
 public:
  Mutator(std::string good, unsigned seed) : good_(std::move(good)), random_(seed) {
    const Json flat = Json::parse(good_).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      pointers_.push_back(pointer);
      values_.push_back(value);
    }
  }

  std::string make() {
    if (below(2) == 0) return swap_values();
    std::string text = good_;
    for (std::size_t n = 1 + below(4); n > 0 && !text.empty(); --n) damage(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  void damage(std::string& text) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ 1 << below(8));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:  // a span once more, somewhere
        text.insert(below(text.size()), text.substr(at, 1 + below(200)));
        break;
      case 3:
        text.erase(at, 1 + below(200));
        break;
      default:  // a digit for another
        if (const std::size_t digit = text.find_first_of("0123456789", at); digit < text.size())
          text[digit] = static_cast<char>('0' + below(10));
    }
  }

  // The text stays JSON: values of others, and hostile ones, at some places.
  std::string swap_values() {
    static const Json hostile[] = {nullptr,
                                   true,
                                   -1,
                                   0,
                                   1,
                                   2,
                                   16,
                                   17,
                                   4096,
                                   4097,
                                   2147483647,
                                   -2147483648LL,
                                   1e9,
                                   1e-9,
                                   1e308,
                                   -1e308,
                                   4e-320,
                                   "",
                                   "gg/cg1",
                                   "gg/mg/q8",
                                   "experiment",
                                   Json::array(),
                                   Json::object(),
                                   18446744073709551615ULL};
    Json json = Json::parse(good_);
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      const Json& value =
          below(2) == 0 ? hostile[below(std::size(hostile))] : values_[below(values_.size())];
      try {
        json[Json::json_pointer(pointers_[below(pointers_.size())])] = value;
      } catch (const Json::exception&) {  // the place has gone with another
      }
    }
    return json.dump();
  }

  std::string good_;
  std::mt19937 random_;
  std::vector<std::string> pointers_;
  std::vector<Json> values_;
};

// What passes the checks can be interpreted, ranked, written and read again.
TEST(KnowledgeFuzz, NothingThatIsReadDoesHarm) {
  const AnalyticPredictor predictor;
  const Known small = example();
  Mutator mutator(text_of(small), 20260711);
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
      const Learnt learnt = learnt_of(known, predictor);
      if (known.facts.chain.cores > 64) continue;  // ranking so many takes its time
      (void)next_experiment(known.facts, learnt.findings, known.objective, known.allowed,
                            predictor);
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
  Mutator mutator(text_of(small), 5);
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
