// SPDX-License-Identifier: LGPL-2.1-or-later
// Every program of pipelines/loops: the stage that is made of it computes what the C compiler makes
// of it, on both sides, or the generator says what the file says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>

#include "files/ascii.h"
#include "pipelines/generate/read/loop_notes.h"
#include "pipelines/generate/write/stage_comments.h"
#include "tests/kernels/stage_file/stage_file_runner.h"
#include "tests/pipelines/generate/c_loop.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

using Values = std::map<std::string, double>;
constexpr int kRounds = 3;
constexpr std::size_t kLeastDataSets = 6;

std::vector<std::string> loops_in(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".c") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string text_of(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

CommandResult generate(const std::string& path, const Values& values) {
  // These tests compile what is made themselves, and not all of it.
  std::vector<std::string> words{"generate", "--no-compile", path};
  for (const auto& [name, value] : values) {
    words.emplace_back("--set");
    words.push_back(name + "=" + text_of(value));
  }
  return run_tandem(words);
}

class Loops : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    path_ = GetParam();
    const std::string text = read_file(path_);
    notes_ = tandem::generate::read_notes(text, path_);
    random_ranges_ = tandem::generate::read_comment(text, "random");
    constexpr std::string_view kRefused = "// refused: ";
    if (const std::size_t at = text.find(kRefused); at != text.npos)
      refused_ = text.substr(at + kRefused.size(), text.find('\n', at) - at - kRefused.size());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Values draw() {
    Values values = notes_.data.at(0);
    for (const auto& [name, range] : random_ranges_) {
      const double least = leading_number(range);
      const double most = leading_number(range.substr(range.find("..") + 2));
      if (std::nearbyint(values[name]) == values[name] && least >= 0) {
        values[name] = std::uniform_int_distribution<int>(static_cast<int>(least),
                                                          static_cast<int>(most))(random_);
      } else {
        values[name] = std::round(64 * std::uniform_real_distribution<>(least, most)(random_)) / 64;
      }
    }
    return values;
  }

  std::vector<uint8_t> random_array(const CLoop::Parameter& p, std::size_t count,
                                    const Values& values) {
    double least = p.type == 'f' ? -1 : 0, most = p.type == 'f' ? 1 : p.type == 'u' ? 255 : 100;
    if (const auto bounds = notes_.values.find(p.name); bounds != notes_.values.end()) {
      least = tandem::generate::value_of(bounds->second[0], values);
      most = tandem::generate::value_of(bounds->second[1], values);
    }
    std::uniform_real_distribution<float> real(static_cast<float>(least), static_cast<float>(most));
    std::uniform_int_distribution<int> whole(static_cast<int>(least), static_cast<int>(most));
    std::vector<uint8_t> bytes(count * (p.type == 'u' ? 1 : 4));
    for (std::size_t i = 0; i < count; ++i) {
      const float number = real(random_);
      const int level = whole(random_);
      if (p.type == 'f') std::memcpy(&bytes[4 * i], &number, 4);
      if (p.type == 'i') std::memcpy(&bytes[4 * i], &level, 4);
      if (p.type == 'u') bytes[i] = static_cast<uint8_t>(level);
    }
    return bytes;
  }

  // From the line "// frame: ..." of the stage.
  std::pair<int, int> frame_of(const std::string& text, const Values& values) {
    std::istringstream words(text.substr(text.find("// frame: ") + 10));
    std::string first, second;
    words >> first >> second;
    const auto value = [&](const std::string& word) {
      return static_cast<int>(tandem::generate::value_of(word.substr(word.find('=') + 1), values));
    };
    if (first == "any") return {16, 16};
    if (!first.starts_with("width*")) return {value(first), value(second)};
    const int count = value(first);
    int width = std::uniform_int_distribution<int>(1, count)(random_);
    while (count % width != 0) --width;
    return {width, count / width};
  }

  void expect_equal(StageMemory& memory, const StageWrite& write,
                    const std::vector<uint8_t>& wanted, const std::string& side) {
    const std::size_t i = memory.index(write.name);
    const auto* const found =
        static_cast<const uint8_t*>(memory.buffer(i).host(opencl::Buffer::Access::read));
    ASSERT_EQ(memory.bytes(i), wanted.size());
    const std::size_t size = bytes_of(write.type);
    for (std::size_t k = 0; k < wanted.size() / size; ++k) {
      if (write.type != ElementType::kFloat32) {
        ASSERT_EQ(std::memcmp(found + k * size, &wanted[k * size], size), 0)
            << write.tensor << "[" << k << "], " << side;
        continue;
      }
      float a = 0, b = 0;
      std::memcpy(&a, found + k * size, size);
      std::memcpy(&b, &wanted[k * size], size);
      const double most = write.tolerance * std::max({1.0F, std::fabs(a), std::fabs(b)});
      ASSERT_TRUE(std::fabs(a - b) <= most || (std::isnan(a) && std::isnan(b)) || a == b)
          << write.tensor << "[" << k << "] is " << a << ", not " << b << ", " << side;
    }
  }

  void check(const CLoop& loop, const std::string& text, Values values, bool device) {
    const StageRunner runner(parse_stage_file(text, "made.cl"),
                             device ? tandem::check::any_context() : nullptr);
    const auto [width, height] = frame_of(text, values);
    StageMemory host = runner.memory(width, height), other = runner.memory(width, height);
    const auto with_tensor = [](auto&& all, const std::string& name) {
      return std::ranges::find_if(all, [&](const auto& each) { return each.tensor == name; });
    };
    std::vector<StageRead> reads;
    std::vector<StageWrite> writes;
    for (const StagePart& part : runner.file().parts) {
      for (const StageRead& read : part.reads)
        if (!read.tensor.empty()) reads.push_back(read);
      for (const StageWrite& write : part.writes)
        if (!write.is_private) writes.push_back(write);
    }
    std::vector<std::vector<uint8_t>> arrays;
    std::vector<int> whole(loop.parameters().size());
    std::vector<float> real(loop.parameters().size());
    std::vector<void*> arguments;
    for (std::size_t i = 0; i < loop.parameters().size(); ++i) {
      const CLoop::Parameter& p = loop.parameters()[i];
      arrays.emplace_back();
      if (!p.is_array) {
        real[i] = static_cast<float>(values[p.name]);
        whole[i] = static_cast<int>(values[p.name]);
        if (std::ranges::find(runner.file().parameters, p.name, &StageParameter::name) !=
            runner.file().parameters.end())
          for (StageMemory* memory : {&host, &other}) {
            if (p.type == 'f') memory->parameter(p.name).real = real[i];
            if (p.type == 'i') memory->parameter(p.name).whole = whole[i];
          }
        arguments.push_back(p.type == 'i' ? static_cast<void*>(&whole[i]) : &real[i]);
        continue;
      }
      auto read = with_tensor(reads, p.name);
      if (read == reads.end()) read = with_tensor(reads, p.name + "_in");
      const auto write = with_tensor(writes, p.name);
      ASSERT_TRUE(read != reads.end() || write != writes.end()) << p.name;
      const std::size_t index = host.index(read != reads.end() ? read->name : write->name);
      const std::size_t size = p.type == 'u' ? 1 : 4;
      arrays[i] = random_array(p, host.bytes(index) / size, values);
      if (read != reads.end())
        for (StageMemory* memory : {&host, &other}) memory->set(index, arrays[i].data());
      arguments.push_back(arrays[i].data());
    }
    std::vector<uint8_t> result(4);
    loop.run(arguments, result.data());
    EXPECT_EQ(runner.run_host(host), "");
    if (runner.has_device()) {
      EXPECT_EQ(runner.run_device(other), "");
    }
    bool has_result = loop.result() == 'v';
    for (const StageWrite& write : writes) {
      const auto p = std::ranges::find(loop.parameters(), write.tensor, &CLoop::Parameter::name);
      if (p == loop.parameters().end()) has_result = true;
      const auto& wanted = p == loop.parameters().end()
                               ? result
                               : arrays[static_cast<std::size_t>(p - loop.parameters().begin())];
      expect_equal(host, write, wanted, "cores");
      if (runner.has_device()) expect_equal(other, write, wanted, "device");
    }
    EXPECT_TRUE(has_result) << "the stage lacks what the function returns";
  }

  std::string folder_, path_;
  tandem::generate::LoopNotes notes_;
  tandem::generate::Comments random_ranges_;
  std::optional<std::string> refused_;
  std::mt19937 random_{2026};
};

TEST_P(Loops, EqualTheCompilers) {
  if (refused_) GTEST_SKIP() << "refused";
  const CLoop loop(path_, folder_);
  std::string first;
  for (int round = 0; round < kRounds; ++round) {
    const Values values = draw();
    std::string drawn;
    for (const auto& [name, value] : values) drawn += " " + name + "=" + text_of(value);
    SCOPED_TRACE(drawn);
    const CommandResult made = generate(path_, values);
    ASSERT_EQ(made.status, 0) << made.errors;
    // PoCL takes seconds to compile: a device computes further sizes where the code stays the same.
    if (round == 0) first = made.output;
    ASSERT_NO_FATAL_FAILURE(check(loop, made.output, values, made.output == first)) << made.output;
  }
}

TEST_P(Loops, HaveDataSets) {
  if (path_.find("/corners/") == path_.npos) {
    EXPECT_GE(notes_.data.size(), kLeastDataSets);
  }
  if (refused_) return;
  for (const Values& values : notes_.data) {
    const CommandResult made = generate(path_, values);
    ASSERT_EQ(made.status, 0) << made.errors;
    EXPECT_NO_THROW(parse_stage_file(made.output, "made.cl")) << made.output;
  }
}

TEST_P(Loops, AreRefusedAsTheyTell) {
  const CommandResult made = generate(path_, notes_.data.at(0));
  if (!refused_) {
    EXPECT_EQ(made.status, 0) << made.errors;
    return;
  }
  EXPECT_EQ(made.status, 1) << made.output;
  EXPECT_NE(made.errors.find(path_ + ":" + *refused_ + "\n"), std::string::npos) << made.errors;
}

TEST(LoopsCommand, OnlyParametersAreSet) {
  const std::string path = std::string(std::getenv("TANDEM_SHIPPED")) + "/loops/vectors/saxpy.c";
  EXPECT_EQ(generate(path, {{"n", 64}}).status, 0);
  const CommandResult made = generate(path, {{"n", 64}, {"m", 64}});
  EXPECT_EQ(made.status, 2);
  EXPECT_NE(made.errors.find("--set: the function has no parameter 'm'"), std::string::npos)
      << made.errors;
}

std::string name_of_test(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

// Programs of these tests, one for each thing that a loop may have.
INSTANTIATE_TEST_SUITE_P(Corners, Loops, testing::ValuesIn(loops_in(std::getenv("TANDEM_CORNERS"))),
                         name_of_test);
// The programs that come with Tandem.
INSTANTIATE_TEST_SUITE_P(Shipped, Loops,
                         testing::ValuesIn(loops_in(std::string(std::getenv("TANDEM_SHIPPED")) +
                                                    "/loops")),
                         name_of_test);

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(&argc, &argv);
  return RUN_ALL_TESTS();
}
