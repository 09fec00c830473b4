// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/support/command.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "pipelines/streams/samples.h"
#include "tests/pipelines/streams/tables.h"

namespace tandem::test {
namespace {

class Streams : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fresh_folder();
    std::filesystem::create_directory(folder_ + "/stages");
    for (const char* data : {"1", "2"}) {
      write_stage("dimmer", data, "out = in(0, 0) / 2;", "WRITE out uint8", "MAP");
      write_stage("sum", data, "out[0] += in(0, 0);", "WRITE out int32 shape=1", "REDUCE");
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write_stage(const std::string& name, const std::string& data, const std::string& code,
                   const std::string& write, const std::string& skeleton) {
    write_file(folder_ + "/stages/" + name + "-" + data + ".cl",
               "// frame: width=w height=h\n// data: w=64 h=" + data + "00\n" +
                   "// features: most-tasks=1*height\n//!STAGE " + name +
                   "\n//!READ in uint8\n//!" + write + "\n//!" + skeleton + "\n" + code + "\n");
  }

  CommandResult measure(std::vector<std::string> more = {}) {
    std::vector<std::string> words{
        "streams", "measure", folder_ + "/stages", "-o", table(), "--partitions", "1,2",
        "--tasks", "1,4",     "--most-seconds",    "0.2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tandem(words);
  }
  std::string table() const { return folder_ + "/table.json"; }
  std::string model() const { return folder_ + "/model.json"; }
  std::string known() const {
    write_file(folder_ + "/known.json", streams::write_samples(streams::known_machine(8)));
    return folder_ + "/known.json";
  }

  std::string folder_;
};

TEST_F(Streams, AreMeasuredOnceAndGoOn) {
  std::filesystem::rename(folder_ + "/stages/sum-2.cl", folder_ + "/later.cl");
  const CommandResult first = measure();
  ASSERT_EQ(first.status, 0) << first.output << first.errors;
  const auto samples = streams::read_samples(read_file(table()));
  ASSERT_EQ(samples.samples.size(), 3U);
  EXPECT_EQ(samples.samples[0].program, "dimmer") << "data sets 1 of all programs come first";
  EXPECT_EQ(samples.samples[1].program, "sum");
  EXPECT_EQ(samples.samples[0].data, "w=64 h=100");
  for (const streams::Sample& sample : samples.samples) {
    EXPECT_GT(sample.one_stream_ns(), 0);
    EXPECT_NE(sample.find(1, 4), nullptr);
    EXPECT_EQ(sample.run.at("upload-bytes"), 64 * std::stoi(sample.data.substr(7)));
  }
  std::filesystem::rename(folder_ + "/later.cl", folder_ + "/stages/sum-2.cl");
  const CommandResult second = measure();
  ASSERT_EQ(second.status, 0) << second.output << second.errors;
  const auto more = streams::read_samples(read_file(table()));
  ASSERT_EQ(more.samples.size(), 4U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(more.samples[i].one_stream_ns(), samples.samples[i].one_stream_ns())
        << "what is there is not measured again";
}

TEST_F(Streams, ATableOfAnotherMachineIsKept) {
  write_file(table(), streams::write_samples(streams::known_machine(1)));
  const std::string before = read_file(table());
  const CommandResult result = measure();
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("another machine"), std::string::npos) << result.errors;
  EXPECT_EQ(read_file(table()), before);
}

TEST_F(Streams, OneBrokenStageDoesNotStopOthers) {
  write_file(folder_ + "/stages/broken-1.cl", "//!STAGE broken\n//!WRITE out\n//!MAP\n");
  const CommandResult result = measure();
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.errors.find("broken-1.cl:2"), std::string::npos) << result.errors;
  EXPECT_EQ(streams::read_samples(read_file(table())).samples.size(), 4U);
}

TEST_F(Streams, TheModelIsTrainedAndSuggests) {
  const CommandResult trained = run_tandem({"streams", "train", known(), "-o", model()});
  ASSERT_EQ(trained.status, 0) << trained.errors;
  EXPECT_LT(std::filesystem::file_size(model()), 64U << 10);
  const std::string once = read_file(model());
  ASSERT_EQ(run_tandem({"streams", "train", known(), "-o", model()}).status, 0);
  EXPECT_EQ(read_file(model()), once) << "the same samples give the same model";
  const CommandResult result =
      run_tandem({"streams", "suggest", folder_ + "/stages/dimmer-1.cl", "--model", model()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_NE(result.output.find("partitions"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("another device"), std::string::npos);
  std::string damage = once;
  const std::size_t at = damage.find("\"samples\":32");
  ASSERT_NE(at, damage.npos);
  damage.replace(at, 12, "\"samples\":31");
  write_file(model(), damage);
  const CommandResult damaged =
      run_tandem({"streams", "suggest", folder_ + "/stages/dimmer-1.cl", "--model", model()});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.errors.find("damaged"), std::string::npos) << damaged.errors;
}

TEST_F(Streams, EvaluatePrintsAndDraws) {
  const CommandResult result =
      run_tandem({"streams", "evaluate", known(), "-o", folder_ + "/page.html"});
  ASSERT_EQ(result.status, 0) << result.errors;
  for (const char* method : {"model", "best constant", "Liu et al.", "ladder"})
    EXPECT_NE(result.output.find(method), std::string::npos) << result.output;
  EXPECT_NE(read_file(folder_ + "/page.html").find("</html>"), std::string::npos);
}

TEST_F(Streams, TablesMayBeCompressed) {
  const std::string plain = known(), packed = plain + ".gz";
  ASSERT_EQ(std::system(("gzip -k " + plain).c_str()), 0);
  const CommandResult of_plain = run_tandem({"streams", "evaluate", plain, "--networks", "1"}),
                      of_packed = run_tandem({"streams", "evaluate", packed, "--networks", "1"});
  EXPECT_EQ(of_packed.status, 0) << of_packed.errors;
  EXPECT_EQ(of_packed.output, of_plain.output);
  const std::string bytes = read_file(packed);
  write_file(packed, bytes.substr(0, bytes.size() / 2));
  const CommandResult damaged = run_tandem({"streams", "evaluate", packed});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_NE(damaged.errors.find("damaged"), std::string::npos) << damaged.errors;
}

TEST_F(Streams, BadInputIsTold) {
  const auto status = [](std::vector<std::string> words) {
    words.insert(words.begin(), "streams");
    return run_tandem(words).status;
  };
  EXPECT_EQ(run_tandem({"streams"}).status, 2);
  EXPECT_EQ(status({"mesure"}), 2);
  EXPECT_EQ(status({"measure"}), 2);
  EXPECT_EQ(status({"measure", folder_ + "/stages"}), 2) << "no output";
  EXPECT_EQ(status({"measure", folder_ + "/none", "-o", table()}), 1);
  EXPECT_EQ(status({"measure", folder_, "-o", table()}), 1) << "no stage files";
  EXPECT_EQ(status({"measure", folder_ + "/stages", "-o", table(), "--tasks", "0"}), 2);
  EXPECT_EQ(status({"measure", folder_ + "/stages", "-o", table(), "--partitions", "x"}), 2);
  EXPECT_EQ(status({"measure", folder_ + "/stages", "-o", folder_ + "/none/t.json"}), 1);
  EXPECT_EQ(status({"train", known()}), 2);
  EXPECT_EQ(status({"train", known(), "-o", known()}), 2) << "would overwrite the samples";
  EXPECT_EQ(status({"train", folder_ + "/none.json", "-o", model()}), 1);
  EXPECT_EQ(status({"evaluate"}), 2);
  EXPECT_EQ(status({"evaluate", known(), "-o", known()}), 2);
  EXPECT_EQ(status({"evaluate", folder_ + "/stages/dimmer-1.cl"}), 1) << "no table";
  EXPECT_EQ(status({"suggest"}), 2);
  EXPECT_EQ(status({"suggest", folder_ + "/none.cl"}), 1);
}

}  // namespace
}  // namespace tandem::test
