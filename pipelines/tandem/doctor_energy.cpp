// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <gio/gio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "pipelines/tandem/doctor.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;
using Json = nlohmann::ordered_json;

constexpr guint kConnectSeconds = 1;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void examine_rapl(Examination& result, const std::string& folder) {
  std::vector<fs::path> domains;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / "energy_uj", error)) domains.push_back(entry.path());
  }
  std::sort(domains.begin(), domains.end());
  Json list = Json::array();
  bool forbidden = false;
  for (const fs::path& domain : domains) {
    const std::string counter = (domain / "energy_uj").string();
    const bool readable = access(counter.c_str(), R_OK) == 0;
    forbidden |= !readable;
    const std::string name = first_line(domain / "name");
    list.push_back({{"name", name}, {"file", counter}, {"readable", readable}});
    result.findings.push_back(
        {readable ? State::good : State::missing,
         "RAPL " + name + ": " + counter + (readable ? "" : " needs permission")});
  }
  if (forbidden) {
    result.findings.back().advice =
        "Until the next start: sudo chmod a+r " + folder + "/*/energy_uj";
  }
  if (domains.empty()) {
    result.findings.push_back({State::note, "RAPL: no counters in " + folder +
                                                " (a virtual machine, or not an x86 processor)"});
  }
  result.data["energy"]["rapl"] = std::move(list);
}

// The few calls of NVIDIA's management library that are needed; it comes with the driver.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    if (!library_) return;
    const auto init = call<int()>("nvmlInit_v2");
    ready_ = init && init() == 0;
  }
  ~Nvml() {
    if (!library_) return;
    const auto shutdown = call<int()>("nvmlShutdown");
    if (ready_ && shutdown) shutdown();
    dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  bool found() const { return library_ != nullptr; }
  bool ready() const { return ready_; }

  template <typename Signature>
  Signature* call(const char* name) const {
    return reinterpret_cast<Signature*>(dlsym(library_, name));
  }

 private:
  void* library_;
  bool ready_ = false;
};

Json nvml_devices(const Nvml& nvml) {
  Json list = Json::array();
  const auto count_devices = nvml.call<int(unsigned*)>("nvmlDeviceGetCount_v2");
  const auto get = nvml.call<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
  const auto get_name = nvml.call<int(void*, char*, unsigned)>("nvmlDeviceGetName");
  const auto energy =
      nvml.call<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  const auto power = nvml.call<int(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
  unsigned count = 0;
  if (!count_devices || !get || !get_name || count_devices(&count) != 0) return list;
  for (unsigned i = 0; i < count; ++i) {
    void* device = nullptr;
    char name[96] = "";
    unsigned long long millijoules = 0;
    unsigned milliwatts = 0;
    if (get(i, &device) != 0 || get_name(device, name, sizeof name) != 0) continue;
    list.push_back({{"name", name},
                    {"energy_counter", energy && energy(device, &millijoules) == 0},
                    {"power_reading", power && power(device, &milliwatts) == 0}});
  }
  return list;
}

void examine_nvml(Examination& result) {
  const Nvml nvml;
  Json list = Json::array();
  if (nvml.ready()) list = nvml_devices(nvml);
  for (const Json& device : list) {
    const bool energy = device["energy_counter"], power = device["power_reading"];
    result.findings.push_back({energy || power ? State::good : State::missing,
                               "NVML " + device["name"].get<std::string>() + ": " +
                                   (energy  ? "energy counter"
                                    : power ? "power reading"
                                            : "no energy")});
  }
  if (!nvml.found()) {
    result.findings.push_back({State::note, "NVML: no NVIDIA driver (libnvidia-ml.so.1)"});
  } else if (list.empty()) {
    result.findings.push_back({State::note, "NVML: the library is there, but no device answers"});
  }
  result.data["energy"]["nvml"] = std::move(list);
}

void examine_pcm(Examination& result, int port) {
  const std::string address = "localhost:" + std::to_string(port);
  GSocketClient* client = g_socket_client_new();
  g_socket_client_set_timeout(client, kConnectSeconds);
  GSocketConnection* connection = g_socket_client_connect_to_host(
      client, "localhost", static_cast<guint16>(port), nullptr, nullptr);
  const bool reachable = connection != nullptr;
  g_clear_object(&connection);
  g_object_unref(client);
  result.data["energy"]["pcm_sensor_server"] = {{"address", address}, {"reachable", reachable}};
  if (reachable) {
    result.findings.push_back({State::good, "pcm-sensor-server answers at " + address});
  } else {
    result.findings.push_back(
        {State::note, "pcm-sensor-server: none at " + address,
         "On Intel processors: sudo apt-get install pcm && sudo pcm-sensor-server"});
  }
}

}  // namespace

Examination examine_energy(const std::string& powercap_folder, int pcm_port) {
  Examination result{"Energy counters", {}, {}};
  examine_rapl(result, powercap_folder);
  examine_nvml(result);
  examine_pcm(result, pcm_port);
  return result;
}

}  // namespace tandem
