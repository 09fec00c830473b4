// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cctype>

#include "tests/kernels/support/opencl_device.h"

namespace tandem::opencl {
namespace {

std::string error_of_opening(const std::string& selector) {
  try {
    Context::open(selector);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool all_are_cpus(const std::vector<DeviceDescription>& devices) {
  for (const DeviceDescription& device : devices) {
    if (!device.is_cpu) return false;
  }
  return true;
}

TEST(Context, AnUnknownDeviceNamesThoseThatThereAre) {
  const std::string text = error_of_opening("no such device");
  ASSERT_FALSE(text.empty());
  for (const DeviceDescription& device : list_devices()) {
    EXPECT_NE(text.find(device.name), std::string::npos) << text;
  }
}

TEST(Context, AnEmptySelectorIsAnError) { EXPECT_FALSE(error_of_opening("").empty()); }

TEST(Context, AutoNeverTakesACpu) {
  const bool cpus_only = all_are_cpus(list_devices());
  EXPECT_EQ(error_of_opening("auto").empty(), !cpus_only);
  if (!cpus_only) {
    EXPECT_FALSE(Context::open("auto")->device().is_cpu);
  }
}

TEST(Context, AnyTakesACpuWhenThereIsNothingElse) {
  const std::vector<DeviceDescription> devices = list_devices();
  if (devices.empty()) {
    EXPECT_FALSE(error_of_opening("any").empty());
    GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  }
  EXPECT_EQ(Context::open("any")->device().is_cpu, all_are_cpus(devices));
}

TEST(Context, OpensByPartOfANameInAnyCase) {
  const std::vector<DeviceDescription> devices = list_devices();
  if (devices.empty()) GTEST_SKIP() << "needs an OpenCL device (pocl-opencl-icd)";
  std::string part = devices[0].platform.substr(1, 6);
  for (char& c : part) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(Context::open(part)->device().platform, devices[0].platform);
}

TEST(Context, WrapsAnApplicationsContext) {
  const auto own = test_context();
  TANDEM_SKIP_WITHOUT_DEVICE(own);
  const auto wrapped = Context::wrap(own->cl_context(), own->cl_device_id());
  EXPECT_EQ(wrapped->cl_context(), own->cl_context());
  EXPECT_EQ(wrapped->cl_device_id(), own->cl_device_id());
  EXPECT_EQ(wrapped->device().name, own->device().name);
  EXPECT_THROW(Context::wrap(nullptr, nullptr), Error);
  EXPECT_THROW(Context::wrap(own->cl_context(), nullptr), Error);
}

}  // namespace
}  // namespace tandem::opencl
