// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/doctor/doctor.h"

#include <gst/gst.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "pipelines/tandem/doctor/drivers.h"
#include "pipelines/tandem/options/options.h"
#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

constexpr int kClosedPort = 1;  // tcpmux: nobody listens there

std::string shipped() { return std::getenv("TANDEM_SHIPPED"); }
void use_shipped_models() { setenv("TANDEM_DATA_DIR", shipped().c_str(), 1); }

class Doctor : public testing::Test {
 protected:
  void SetUp() override { folder_ = fresh_folder(); }
  void TearDown() override { fs::remove_all(folder_); }
  std::string folder_;
};

bool mentions(const Examination& examination, const std::string& words) {
  return std::any_of(examination.findings.begin(), examination.findings.end(),
                     [&](const Finding& finding) {
                       return finding.text.find(words) != std::string::npos ||
                              finding.advice.find(words) != std::string::npos;
                     });
}

TEST_F(Doctor, WorksWithModelAndPlugin) {
  use_shipped_models();
  const CommandResult result = run_tandem({"doctor"});
  EXPECT_EQ(result.status, 0) << result.output << result.errors;
  EXPECT_NE(result.output.find("Tandem works on this machine."), std::string::npos);
}

TEST_F(Doctor, SaysWhyNoProgramsAreKept) {
  std::ofstream(folder_ + "/file").close();
  setenv("TANDEM_CACHE_DIR", (folder_ + "/file").c_str(), 1);
  const CommandResult result = run_tandem({"doctor"});
  unsetenv("TANDEM_CACHE_DIR");
  EXPECT_NE(
      result.output.find("compiled programs are not cached, so each start compiles them again: " +
                         folder_ + "/file is not a folder"),
      std::string::npos)
      << result.output;
}

TEST_F(Doctor, JsonHasTheFields) {
  use_shipped_models();
  const CommandResult result = run_tandem({"doctor", "--json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const nlohmann::json json = nlohmann::json::parse(result.output);
  for (const char* field : {"version", "works", "opencl", "cache_folder", "energy", "gstreamer",
                            "plugin", "decoders", "encoders", "cpu_path", "missing"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["works"], true);
  for (const auto& [element, found] : json["plugin"]["elements"].items()) {
    EXPECT_EQ(found, true) << element;
  }
  for (const char* element : {"tandembin", "klttracks", "sradcompress", "sceneclassifier"}) {
    EXPECT_TRUE(json["plugin"]["elements"].contains(element)) << element;
  }
  EXPECT_EQ(json["cpu_path"]["model"], shipped() + "/models/person.vivid");
  EXPECT_EQ(json["cpu_path"]["scene_model"], shipped() + "/models/scenes.scene");
  for (const char* field : {"devices", "auto", "auto_reason", "icd_files"}) {
    EXPECT_TRUE(json["opencl"].contains(field)) << field;
  }
}

TEST_F(Doctor, WithoutModelsItSaysSoAndFails) {
  setenv("TANDEM_DATA_DIR", folder_.c_str(), 1);
  const CommandResult result = run_tandem({"doctor"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find(folder_ + "/models/person.vivid"), std::string::npos);
  EXPECT_NE(result.output.find(folder_ + "/models/scenes.scene"), std::string::npos);
  EXPECT_NE(result.output.find("TANDEM_DATA_DIR"), std::string::npos);
}

TEST_F(Doctor, UnknownOption) {
  const CommandResult result = run_tandem({"doctor", "--jsn"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("did you mean '--json'?"), std::string::npos) << result.errors;
}

// A machine that has nothing but what tests put into its powercap folder.
EnergyContext bare_machine(const std::string& folder) {
  EnergyContext context;
  context.powercap_folder = folder;
  context.pcm_port = kClosedPort;
  context.nvml_library = "libno-such-library.so.1";
  return context;
}

TEST_F(Doctor, EnergyCountersAndWhatTheyCover) {
  for (const auto& [zone, name] :
       {std::pair("intel-rapl:0", "package-0"), std::pair("intel-rapl:0:0", "core")}) {
    fs::create_directories(folder_ + "/" + zone);
    write_file(folder_ + "/" + zone + "/name", std::string(name) + "\n");
    write_file(folder_ + "/" + zone + "/energy_uj", "123\n");
  }
  const Examination energy = examine_energy(bare_machine(folder_));
  const auto& data = energy.data["energy"];
  EXPECT_EQ(data["rapl"]["state"], "works");
  EXPECT_EQ(data["rapl"]["meter"]["resolution_s"]["u"], 0.001);
  EXPECT_TRUE(data["rapl"]["meter"]["resolution_s"]["g"].is_null());
  EXPECT_EQ(data["pcm"]["state"], "absent");
  EXPECT_EQ(data["nvml"]["state"], "absent");
  EXPECT_EQ(data["auto"]["name"], "rapl");
  EXPECT_TRUE(mentions(energy, "package-0"));

  if (geteuid() == 0) return;  // root may read everything
  fs::permissions(folder_ + "/intel-rapl:0/energy_uj", fs::perms::none);
  const Examination denied = examine_energy(bare_machine(folder_));
  EXPECT_EQ(denied.data["energy"]["rapl"]["state"], "denied");
  EXPECT_TRUE(mentions(denied, "sudo chmod a+r"));
}

TEST_F(Doctor, NoEnergyCounters) {
  const Examination energy = examine_energy(bare_machine(folder_ + "/none"));
  EXPECT_EQ(energy.data["energy"]["rapl"]["state"], "absent");
  EXPECT_TRUE(energy.data["energy"]["auto"].is_null());
  EXPECT_TRUE(mentions(energy, "no counters in " + folder_ + "/none"));
  EXPECT_TRUE(mentions(energy, "apt-get install pcm"));
}

// The process of the test never opens a driver: what was asked first would stay.
class Drivers : public Doctor {
 protected:
  void SetUp() override {
    Doctor::SetUp();
    fs::create_directories(folder_ + "/own");
    write_file(folder_ + "/own/b.icd", "libb-test.so.1 \n");
    write_file(folder_ + "/own/a.icd", "liba-test.so.1\n");
    write_file(folder_ + "/own/a.icd.off", "liboff-test.so.1\n");
    fs::create_directories(folder_ + "/system");
    write_file(folder_ + "/system/s.icd", "libs-test.so.1\n");
  }
  void TearDown() override {
    unsetenv("OCL_ICD_VENDORS");
    unsetenv("TANDEM_DRIVER_CRASHES");
    Doctor::TearDown();
  }

  std::vector<std::string> libraries() const {
    std::vector<std::string> names;
    for (const OpenclDriver& driver : find_opencl_drivers(folder_ + "/system").list)
      names.push_back(driver.library);
    return names;
  }

  // What the command says of the driver that never answers, in JSON.
  nlohmann::json stuck() const {
    write_file(folder_ + "/stuck.icd", std::getenv("TANDEM_STUCK_DRIVER"));
    setenv("OCL_ICD_VENDORS", (folder_ + "/stuck.icd").c_str(), 1);
    use_shipped_models();
    const CommandResult result = run_tandem({"doctor", "--json", "--patience", "1"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return nlohmann::json::parse(result.output);
  }
};

using Names = std::vector<std::string>;

TEST_F(Drivers, AreThoseOfTheSystem) {
  unsetenv("OCL_ICD_VENDORS");
  EXPECT_EQ(libraries(), Names{"libs-test.so.1"});
  setenv("OCL_ICD_VENDORS", "", 1);
  EXPECT_EQ(libraries(), Names{"libs-test.so.1"});
}

TEST_F(Drivers, AreThoseOfAFolderThatIsNamed) {
  setenv("OCL_ICD_VENDORS", (folder_ + "/own").c_str(), 1);
  EXPECT_EQ(libraries(), (Names{"liba-test.so.1", "libb-test.so.1"}));
  setenv("OCL_ICD_VENDORS", (folder_ + "/own/").c_str(), 1);
  EXPECT_EQ(libraries(), (Names{"liba-test.so.1", "libb-test.so.1"}));
}

TEST_F(Drivers, AreThatOfAFileOrTheLibraryThatIsNamed) {
  setenv("OCL_ICD_VENDORS", (folder_ + "/own/b.icd").c_str(), 1);
  EXPECT_EQ(libraries(), Names{"libb-test.so.1"});
  setenv("OCL_ICD_VENDORS", (folder_ + "/nowhere.icd").c_str(), 1);
  EXPECT_EQ(libraries(), Names{});
  setenv("OCL_ICD_VENDORS", "libnamed-test.so.1", 1);
  EXPECT_EQ(libraries(), Names{"libnamed-test.so.1"});
}

TEST_F(Drivers, ThatCannotBeLoadedAreMissing) {
  setenv("OCL_ICD_VENDORS", (folder_ + "/own").c_str(), 1);
  const CommandResult result = run_tandem({"doctor"});
  EXPECT_NE(result.output.find("OCL_ICD_VENDORS=" + folder_ + "/own replaces"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find(" no  driver: " + folder_ +
                               "/own/a.icd -> liba-test.so.1 cannot be loaded: liba-test.so.1"),
            std::string::npos)
      << result.output;
  EXPECT_EQ(result.output.find("/etc/OpenCL/vendors/"), std::string::npos) << result.output;
}

TEST_F(Drivers, WhereThereIsNoneItSaysSo) {
  setenv("OCL_ICD_VENDORS", (folder_ + "/nowhere.icd").c_str(), 1);
  const CommandResult result = run_tandem({"doctor"});
  EXPECT_NE(result.output.find("no OpenCL driver in " + folder_ + "/nowhere.icd\n      Unset"),
            std::string::npos)
      << result.output;
}

TEST_F(Drivers, ThatDoNotAnswerAreLeftOut) {
  if (!std::getenv("TANDEM_STUCK_DRIVER")) GTEST_SKIP() << "needs a build with OpenCL";
  const nlohmann::json json = stuck();
  EXPECT_EQ(json["works"], true);
  EXPECT_EQ(json["opencl"]["icd_files"][0]["state"], "silent");
  const std::string file = folder_ + "/stuck.icd";
  EXPECT_NE(json["missing"][0]["what"].get<std::string>().find("does not answer within 1 s"),
            std::string::npos);
  EXPECT_EQ(json["missing"][0]["advice"],
            "Leave it out of all programs with: mv '" + file + "' '" + file + ".off'");
}

TEST_F(Drivers, ThatCrashAreLeftOut) {
  if (!std::getenv("TANDEM_STUCK_DRIVER")) GTEST_SKIP() << "needs a build with OpenCL";
  setenv("TANDEM_DRIVER_CRASHES", "1", 1);
  EXPECT_EQ(stuck()["opencl"]["icd_files"][0]["state"], "crashes");
}

TEST(Options, Suggestions) {
  const std::vector<std::string> names = {"run", "bench", "doctor"};
  EXPECT_EQ(did_you_mean("benhc", names), "; did you mean 'bench'?");
  EXPECT_EQ(did_you_mean("ru", names), "; did you mean 'run'?");
  EXPECT_EQ(did_you_mean("entirely", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
}

TEST(Options, Sizes) {
  EXPECT_EQ(to_string(parse_size("size", "600x416")), "600x416");
  for (const char* text : {"", "x", "600", "600x", "x416", "600x416x3", "-1x5", "1e3x5", "600 x416",
                           "16385x1", "99999999999x1"}) {
    EXPECT_THROW(parse_size("size", text), UsageError) << text;
  }
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
