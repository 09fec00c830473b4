// SPDX-License-Identifier: LGPL-2.1-or-later
// submit, worker, gather and jobs, as processes, with a real server.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "kernels/network/have_networks.h"
#include "tests/gst/publish/real_broker.h"
#include "tests/gst/support/network_model.h"
#include "tests/pipelines/jobs/json_frames.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kJobsPatience = 100s;

template <typename Condition>
bool comes_true(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + kJobsPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

class JobsCommand : public testing::Test {
 protected:
  void SetUp() override {
    server_ = real_broker("redis");
    if (!server_) GTEST_SKIP() << "needs redis-server";
    server_->start();
    setenv("TANDEM_QUEUE", server_->location().c_str(), 1);
    setenv("TANDEM_CACHE_DIR", (folder_ + "/cache").c_str(), 1);
    fs::create_directories(results_);
  }

  // An AVI, each of whose frames is a key frame.
  std::string video(const std::string& name, int frames) {
    const std::string path = folder_ + "/" + name;
    make_video(path, frames, 64, 48);
    return path;
  }
  static CommandResult tandem(const std::vector<std::string>& words) {
    CommandResult result = run_tandem(words);
    EXPECT_EQ(result.status, 0) << testing::PrintToString(words) << result.output << result.errors;
    return result;
  }
  void start_worker(Process& process, const std::string& name) {
    process.start({std::getenv("TANDEM_COMMAND"), "worker", "--until-empty", "--device", "cpu",
                   "--claim", "2", "--threads", "1", "--adapt", "off", "--knowledge", "off"},
                  folder_ + "/" + name + ".log");
  }
  void work() {
    Process worker;
    start_worker(worker, "worker");
    EXPECT_TRUE(comes_true([&] { return !worker.runs(); })) << log("worker");
  }
  std::string log(const std::string& name) { return read_file(folder_ + "/" + name + ".log"); }
  std::string gathered(const std::string& file) { return read_file(results_ + "/" + file); }
  // What one `tandem run` gives.
  std::string expected(const std::string& application, const std::string& video,
                       const std::vector<std::string>& options = {}) {
    const std::string file = video + "." + application + ".jsonl";
    std::vector<std::string> words{"run",         application, "--input",    video,
                                   "--device",    "cpu",       "--adapt",    "off",
                                   "--knowledge", "off",       "--metadata", file};
    words.insert(words.end(), options.begin(), options.end());
    tandem(words);
    return read_file(file);
  }
  static nlohmann::json status() {
    return nlohmann::json::parse(tandem({"jobs", "--json"}).output);
  }
  static std::size_t done() {
    std::size_t count = 0;
    const nlohmann::json now = status();
    for (const auto& one : now.at("videos")) count += one.at("done").get<std::size_t>();
    return count;
  }

  const std::string folder_ = fresh_folder(), results_ = folder_ + "/results";
  std::unique_ptr<RealBroker> server_;
};

TEST_F(JobsCommand, GiveWhatOneRunGives) {
  const std::string gate = video("the gate.avi", 60), yard = video("yard.avi", 20);
  const CommandResult submitted =
      tandem({"submit", "--application", "scene", "--part", "1", gate, yard});
  EXPECT_NE(submitted.output.find("3 jobs, results in 1-the gate.avi.jsonl"), std::string::npos)
      << submitted.output;
  // What follows things from frame to frame is not cut.
  const std::string whole =
      tandem({"submit", "--application", "tracking", "--part", "1", gate}).output;
  EXPECT_NE(whole.find("1 job,"), std::string::npos) << whole;
  EXPECT_NE(whole.find("tracking follows objects"), std::string::npos) << whole;
  auto before = status();
  EXPECT_EQ(before.at("videos").size(), 3U);
  EXPECT_EQ(before.at("videos")[0].at("waiting"), 3);
  work();
  EXPECT_EQ(done(), 5U);
  tandem({"gather", "--output", results_});
  EXPECT_EQ(comparable(gathered("1-the gate.avi.jsonl")), comparable(expected("scene", gate)));
  EXPECT_EQ(comparable(gathered("2-yard.avi.jsonl")), comparable(expected("scene", yard)));
  EXPECT_EQ(comparable(gathered("3-the gate.avi.jsonl")), comparable(expected("tracking", gate)));
  // Nothing is left in the server but the count of videos, and nothing in the folder but results.
  EXPECT_EQ(status().at("videos_gathered"), 3);
  EXPECT_EQ(status().at("results_waiting"), 0);
  EXPECT_EQ(server_->ask({"HLEN", "site/people:done"}), "0\n");
  EXPECT_EQ(server_->ask({"HLEN", "site/people:progress"}), "0\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(results_), {}), 3);
}

// The model is a file that workers open.
TEST_F(JobsCommand, ANetworkGivesWhatOneRunGives) {
  if (!network::kHaveNetworks) GTEST_SKIP() << network::kNoNetworks;
  const std::string gate = video("gate.avi", 60), model = folder_ + "/person.onnx";
  const std::vector<std::string> with_model{"--model", person_network_file(model)};
  EXPECT_EQ(run_tandem({"submit", "--application", "network", gate}).status, 2) << "no model";
  const std::string submitted =
      tandem({"submit", "--application", "network", "--model", model, "--part", "1", gate}).output;
  EXPECT_NE(submitted.find("3 jobs"), std::string::npos) << submitted;
  work();
  tandem({"gather", "--output", results_});
  const std::vector<std::string> lines = comparable(gathered("1-gate.avi.jsonl"));
  EXPECT_EQ(lines, comparable(expected("network", gate, with_model)));
  ASSERT_EQ(lines.size(), 60U);
  for (const std::string& line : lines) {
    const nlohmann::json detections = nlohmann::json::parse(line).at("detections");
    ASSERT_EQ(detections.size(), 1U);
    EXPECT_EQ(detections[0].at("label"), "person");
  }
}

TEST_F(JobsCommand, AJobWithoutItsNetworkIsSetAsideWithItsReason) {
  if (!network::kHaveNetworks) GTEST_SKIP() << network::kNoNetworks;
  const std::string gate = video("gate.avi", 25), model = folder_ + "/person.onnx";
  person_network_file(model);
  tandem({"submit", "--application", "network", "--model", model, gate});
  fs::remove(model);
  Process worker;
  worker.start({std::getenv("TANDEM_COMMAND"), "worker", "--until-empty", "--device", "cpu",
                "--attempts", "1"},
               folder_ + "/worker.log");
  EXPECT_TRUE(comes_true([&] { return !worker.runs(); })) << log("worker");
  const nlohmann::json failed = status().at("failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_NE(failed[0].at("reason").get<std::string>().find("person.onnx"), std::string::npos)
      << failed.dump();
}

// Four workers: one is killed in the middle of a job, one is stopped for longer than a claim lasts
// and wakes up again, the server is killed and comes back with its file, and so is gather.
TEST_F(JobsCommand, LoseNothingAndDoubleNothing) {
  const std::string gate = video("gate.avi", 1200), yard = video("yard.avi", 300);
  tandem({"submit", "--application", "scene", "--part", "2", gate, yard});
  Process killed, stopped, third, fourth, gather;
  start_worker(killed, "killed");
  const auto start_gather = [&] {
    gather.start({std::getenv("TANDEM_COMMAND"), "gather", "--output", results_},
                 folder_ + "/gather.log");
  };
  start_gather();
  const auto jobs_of = [&](const std::string& name) {
    std::string first, worker;  // "worker NAME of ..."
    std::istringstream(log(name)) >> first >> worker;
    const nlohmann::json now = status();
    for (const auto& one : now.at("workers")) {
      if (one.at("name") == worker) return one.at("jobs").get<int>();
    }
    return 0;
  };
  ASSERT_TRUE(comes_true([&] { return jobs_of("killed") > 0; })) << log("killed");
  killed.end(SIGKILL);
  start_worker(stopped, "stopped");
  ASSERT_TRUE(comes_true([&] { return jobs_of("stopped") > 0; })) << log("stopped");
  stopped.signal(SIGSTOP);
  start_worker(third, "third");
  start_worker(fourth, "fourth");
  ASSERT_TRUE(comes_true([&] { return done() > 3; }));
  gather.end(SIGKILL);
  server_->kill();
  std::this_thread::sleep_for(500ms);
  server_->start();
  start_gather();
  // Others take its job while it stands still.
  EXPECT_TRUE(comes_true([&] { return jobs_of("stopped") == 0; }));
  stopped.signal(SIGCONT);
  for (const auto& [worker, name] :
       {std::pair(&stopped, "stopped"), {&third, "third"}, {&fourth, "fourth"}}) {
    EXPECT_TRUE(comes_true([&] { return !worker->runs(); })) << log(name);
  }
  EXPECT_TRUE(comes_true([&] { return !gather.runs(); })) << log("gather");
  EXPECT_EQ(comparable(gathered("1-gate.avi.jsonl")), comparable(expected("scene", gate)));
  EXPECT_EQ(comparable(gathered("2-yard.avi.jsonl")), comparable(expected("scene", yard)));
  EXPECT_NE(log("third").find("is back"), std::string::npos) << log("third");
}

TEST_F(JobsCommand, AJobThatFailsIsSetAsideWithItsReason) {
  const std::string gate = video("gate.avi", 50);
  tandem({"submit", "--application", "scene", "--part", "1", gate});
  fs::rename(gate, gate + ".away");
  Process worker;
  worker.start({std::getenv("TANDEM_COMMAND"), "worker", "--until-empty", "--device", "cpu",
                "--attempts", "1"},
               folder_ + "/worker.log");
  EXPECT_TRUE(comes_true([&] { return !worker.runs(); })) << log("worker");
  EXPECT_EQ(status().at("failed").size(), 2U);
  const std::string told = tandem({"jobs"}).output;
  EXPECT_NE(told.find("failed 1.0: "), std::string::npos) << told;
  EXPECT_NE(told.find("gate.avi"), std::string::npos) << told;
  const CommandResult partial = run_tandem({"gather", "--output", results_});
  EXPECT_EQ(partial.status, 1);
  EXPECT_NE(partial.errors.find("jobs failed"), std::string::npos) << partial.errors;

  fs::rename(gate + ".away", gate);
  EXPECT_NE(tandem({"jobs", "--retry"}).output.find("2 jobs"), std::string::npos);
  work();
  tandem({"gather", "--output", results_});
  EXPECT_EQ(comparable(gathered("1-gate.avi.jsonl")), comparable(expected("scene", gate)));
}

TEST_F(JobsCommand, AWrongVideoLeavesNothingSubmitted) {
  const std::string gate = video("gate.avi", 25), wrong = folder_ + "/wrong.mp4";
  write_file(wrong, "no video");
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--application", "scene"},
                                             {"--application", "scene", "--part", "0"},
                                             {"--application", "tracking"}}) {
    std::vector<std::string> words{"submit"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {gate, wrong});
    const CommandResult result = run_tandem(words);
    EXPECT_EQ(result.status, 1) << testing::PrintToString(options);
    EXPECT_NE(result.errors.find("wrong.mp4"), std::string::npos) << result.errors;
    EXPECT_TRUE(status().at("videos").empty()) << testing::PrintToString(options);
  }
}

TEST_F(JobsCommand, ResultsThatWereLostAreMadeAgain) {
  const std::string gate = video("gate.avi", 75);
  tandem({"submit", "--application", "scene", "--part", "1", gate});
  work();
  server_->ask({"XTRIM", "site/people:results", "MAXLEN", "1"});
  Process gather;
  gather.start({std::getenv("TANDEM_COMMAND"), "gather", "--output", results_},
               folder_ + "/gather.log");
  EXPECT_TRUE(comes_true([&] { return log("gather").find("were lost") != std::string::npos; }));
  work();
  EXPECT_TRUE(comes_true([&] { return !gather.runs(); })) << log("gather");
  EXPECT_EQ(comparable(gathered("1-gate.avi.jsonl")), comparable(expected("scene", gate)));
}

class InterruptedWorker : public JobsCommand, public testing::WithParamInterface<int> {};

TEST_P(InterruptedWorker, GivesItsJobBack) {
  tandem({"submit", "--application", "scene", "--part", "0", video("gate.avi", 8000)});
  signal(GetParam(), SIG_DFL);  // else the worker inherits what nohup ignores
  Process worker;
  start_worker(worker, "worker");
  ASSERT_TRUE(comes_true([&] { return status().at("results_waiting") > 0; }));
  worker.end(GetParam());
  const nlohmann::json left = status();
  EXPECT_EQ(left.at("videos")[0].at("waiting"), 1) << left.dump() << log("worker");
  EXPECT_TRUE(left.at("workers").empty());
}

INSTANTIATE_TEST_SUITE_P(Signals, InterruptedWorker, testing::Values(SIGTERM, SIGHUP));

TEST_F(JobsCommand, NoPasswordIsShown) {
  const std::string gate = video("gate.avi", 25);
  server_->kill();
  server_->require("ann", "s3cret");
  server_->start();
  setenv("TANDEM_QUEUE", server_->location("ann:s3cret").c_str(), 1);
  std::string all;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"submit", "--application", "scene", gate},
        {"jobs"},
        {"worker", "--until-empty", "--device", "cpu"},
        {"jobs", "--json"},
        {"gather", "--output", results_}}) {
    const CommandResult result = tandem(words);
    all += result.output + result.errors;
  }
  setenv("TANDEM_QUEUE", server_->location("ann:wrong").c_str(), 1);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"submit", "--application", "scene", gate},
        {"worker"},
        {"jobs"},
        {"gather", "--output", results_}}) {
    const CommandResult result = run_tandem(words);
    EXPECT_EQ(result.status, 1) << testing::PrintToString(words);
    EXPECT_NE(result.errors.find("check the queue's user and password"), std::string::npos)
        << result.errors;
    all += result.output + result.errors;
  }
  EXPECT_EQ(all.find("s3cret"), std::string::npos) << all;
  EXPECT_EQ(all.find("wrong@"), std::string::npos) << all;
}

TEST(JobsUsage, MistakesAreTold) {
  unsetenv("TANDEM_QUEUE");
  const std::string gate = fresh_folder() + "/gate.avi";
  make_video(gate, 5, 64, 48);
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"jobs"}, "no queue is given"},
      {{"worker", "--queue", "mqtt://u:s3cret@h/people"}, "a queue needs a Redis server"},
      {{"submit", "--application", "scene"}, "submit needs a video"},
      {{"submit", gate}, "submit needs an application"},
      {{"submit", "--application", "vivd", "--queue", "redis://h/q", gate}, "vivid"},
      {{"submit", "--application", "scene", "--queue", "redis://h/q", "--threshold", "x", gate},
       "--threshold"},
      {{"submit", "--application", "vivid", "--queue", "redis://h/q", "--threshold", "7", gate},
       "--threshold"},
      {{"worker", "--queue", "redis://h/q", "--claim", "0"}, "--claim"},
      {{"worker", "--queue", "redis://h/q", "--attempts", "0"}, "--attempts"},
      {{"gather", "--queue", "redis://h/q"}, "gather needs a folder"},
  };
  for (const auto& [words, said] : cases) {
    const CommandResult result = run_tandem(words);
    EXPECT_EQ(result.status, 2) << testing::PrintToString(words) << result.errors;
    EXPECT_NE(result.errors.find(said), std::string::npos) << result.errors;
    EXPECT_EQ(result.errors.find("s3cret"), std::string::npos) << result.errors;
  }
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
