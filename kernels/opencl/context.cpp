// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "files/ascii.h"
#include "kernels/opencl/native.h"

namespace tandem::opencl {

namespace {

struct Found {
  cl::Device device;
  DeviceDescription description;
  std::string unusable;  // why it cannot be opened; empty when it can
};

std::string why_unusable(const cl::Device& device, const DeviceDescription& description) {
  if (!device.getInfo<CL_DEVICE_AVAILABLE>()) return "not available";
  if (!device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>()) return "its driver has no compiler";
  // "OpenCL <major>.<minor> <vendor's text>"
  if (description.version < "OpenCL 1.2") return "older than OpenCL 1.2";
  return {};
}

// A platform or device that fails to answer is left out: it must not hide the others.
std::vector<Found> find_devices() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {
    return {};  // the loader reports "no platform" as an error
  }
  std::vector<Found> found;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    try {
      platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    } catch (const cl::Error&) {
    }
    for (const cl::Device& device : devices) {
      try {
        DeviceDescription description = describe_device(device);
        std::string unusable = why_unusable(device, description);
        found.push_back({device, std::move(description), std::move(unusable)});
      } catch (const cl::Error&) {
      }
    }
  }
  return found;
}

bool fits(const Found& found, const std::string& selector) {
  if (!found.unusable.empty()) return false;
  if (selector == "any") return true;
  if (selector == "auto") return !found.description.is_cpu;
  return ascii_lower(found.description.name).find(selector) != std::string::npos ||
         ascii_lower(found.description.platform).find(selector) != std::string::npos;
}

// `name`: the one of a list that got no device.
[[noreturn]] void throw_nothing_fits(std::string_view selector, const std::string& name,
                                     const std::vector<Found>& found) {
  std::string text = "no OpenCL device matches \"" + std::string(selector) + "\"";
  if (name != selector) text += ": none is left for \"" + name + "\"";
  text += ". ";
  if (found.empty()) {
    throw Error(text +
                "There is no OpenCL device on this machine: install the driver (ICD) of the "
                "GPU, or pocl-opencl-icd to compute on the CPU, and see what clinfo lists");
  }
  text += "Available devices:";
  for (const Found& each : found) {
    text += "\n  " + each.description.name + " (" + each.description.platform +
            (each.description.is_cpu ? ", a CPU" : "") +
            (each.unusable.empty() ? "" : ", " + each.unusable) + ")";
  }
  throw Error(
      text +
      "\nChoose a device by a part of its name or its platform's name, \"auto\" (the first that is "
      "not a CPU), \"any\" (a CPU if there is nothing else) or \"all\" (all that are not CPUs), or "
      "several by a list such as A,B");
}

void add_device(Context::Native& native, const cl::Context& context, const cl::Device& device,
                int number) {
  if (native.devices.empty()) native.description = describe_device(device);
  auto added = std::make_unique<NativeDevice>();
  added->context = context;
  added->device = device;
  added->number = number;
  added->transfer = cl::CommandQueue(context, device);
  ++counters().objects_created;
  native.devices.push_back(std::move(added));
}

// Whether one letter of a mapping can stand for both: the same programs, work-groups and times.
bool same_kind(const DeviceDescription& a, const DeviceDescription& b) {
  return a.name == b.name && a.platform == b.platform && a.driver == b.driver &&
         a.compute_units == b.compute_units && a.local_memory_bytes == b.local_memory_bytes;
}

// The names of a list; without a comma one name, which may be empty.
std::vector<std::string> names_in(const std::string& selector) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  for (std::size_t end; (end = selector.find(',', begin)) != std::string::npos; begin = end + 1)
    names.push_back(selector.substr(begin, end - begin));
  names.push_back(selector.substr(begin));
  for (std::string& name : names) {
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
  }
  return names;
}

// Places in `found`, none twice; throws Error when nothing is left that fits a name.
std::vector<std::size_t> choose(const std::vector<Found>& found, std::string_view selector) {
  std::vector<std::size_t> chosen;
  const auto take = [&](const std::string& name) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!fits(found[i], name) || std::ranges::count(chosen, i) > 0) continue;
      chosen.push_back(i);
      return true;
    }
    return false;
  };
  if (ascii_lower(selector) == "all") {
    while (take("auto")) {
    }
    if (chosen.empty()) throw_nothing_fits(selector, std::string(selector), found);
    return chosen;
  }
  for (const std::string& name : names_in(std::string(selector))) {
    const std::string wanted = ascii_lower(name);
    const bool taken =
        !wanted.empty() && (wanted == "any" ? take("auto") || take("any") : take(wanted));
    if (!taken) throw_nothing_fits(selector, name, found);
  }
  return chosen;
}

}  // namespace

std::string describe(const cl::Error& error) {
  static constexpr std::pair<cl_int, const char*> kTexts[] = {
      {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device is out of memory"},
      {CL_OUT_OF_RESOURCES, "the device is out of resources or failed"},
      {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
      {CL_BUILD_PROGRAM_FAILURE, "the program does not compile"},
      {CL_INVALID_VALUE, "invalid value"},
      {CL_INVALID_CONTEXT, "the objects are of different contexts"},
      {CL_INVALID_MEM_OBJECT, "invalid memory object"},
      {CL_INVALID_BUFFER_SIZE, "the device has no buffers of this size"},
      {CL_INVALID_BINARY, "invalid program binary"},
      {CL_INVALID_KERNEL_NAME, "the program has no such kernel"},
      {CL_INVALID_KERNEL_ARGS, "a kernel argument is missing"},
      {CL_INVALID_ARG_SIZE, "a kernel argument has the wrong size"},
      {CL_INVALID_WORK_GROUP_SIZE, "the work-group is too large"},
      {CL_INVALID_COMMAND_QUEUE, "invalid command queue"},
      {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an earlier command failed"}};
  const auto* const known =
      std::ranges::find(kTexts, error.err(), &std::pair<cl_int, const char*>::first);
  return std::string(known == std::end(kTexts) ? "OpenCL error" : known->second) + " (" +
         error.what() + ", error " + std::to_string(error.err()) + ")";
}

DeviceDescription describe_device(const cl::Device& device) {
  DeviceDescription result;
  const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  result.name = device.getInfo<CL_DEVICE_NAME>();
  result.vendor = device.getInfo<CL_DEVICE_VENDOR>();
  result.platform = platform.getInfo<CL_PLATFORM_NAME>();
  result.version = device.getInfo<CL_DEVICE_VERSION>();
  result.driver = device.getInfo<CL_DRIVER_VERSION>();
  result.extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  result.is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
  result.is_gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
  cl_bool unified = CL_FALSE;  // deprecated since 2.0, yet the one query that all versions answer
  clGetDeviceInfo(device(), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, nullptr);
  result.unified_memory = unified == CL_TRUE;
  result.has_local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_TYPE>() == CL_LOCAL;
  result.divides_exactly =
      (device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  result.vector_floats = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
  result.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  result.max_work_group = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  result.global_memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  result.local_memory_bytes = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  return result;
}

std::vector<DeviceDescription> list_devices() {
  std::vector<DeviceDescription> devices;
  for (Found& found : find_devices()) devices.push_back(std::move(found.description));
  return devices;
}

std::shared_ptr<Context> Context::open(std::string_view selector) {
  const std::vector<Found> found = find_devices();
  const std::vector<std::size_t> chosen = choose(found, selector);
  std::vector<std::unique_ptr<Native>> kinds;
  std::vector<std::string> left_out;
  int devices = 0;
  for (const std::size_t i : chosen) {
    const Found& each = found[i];
    auto kind = std::ranges::find_if(
        kinds, [&](const auto& other) { return same_kind(other->description, each.description); });
    if (devices == kMostDevices || (kind == kinds.end() && std::ssize(kinds) == kMostKinds)) {
      left_out.push_back(each.description.name);
      continue;
    }
    if (kind == kinds.end()) kind = kinds.insert(kind, std::make_unique<Native>());
    checked("open " + each.description.name, [&] {
      add_device(**kind, cl::Context(each.device), each.device, static_cast<int>(i));
    });
    ++devices;
  }
  kinds.front()->left_out = std::move(left_out);
  std::shared_ptr<Context> first(new Context(std::move(kinds.front())));
  for (std::size_t k = 1; k < kinds.size(); ++k)
    first->further_.push_back(std::shared_ptr<Context>(new Context(std::move(kinds[k]))));
  return first;
}

std::shared_ptr<Context> Context::wrap(void* cl_context, void* cl_device_id) {
  return checked("use the application's OpenCL context", [&] {
    const cl::Context context(static_cast<::cl_context>(cl_context), true);
    const cl::Device device(static_cast<::cl_device_id>(cl_device_id), true);
    const auto devices = context.getInfo<CL_CONTEXT_DEVICES>();
    if (std::none_of(devices.begin(), devices.end(),
                     [&](const cl::Device& each) { return each() == device(); })) {
      throw Error("the application's OpenCL device is not one of its context");
    }
    const std::vector<Found> found = find_devices();
    const auto known =
        std::ranges::find_if(found, [&](const Found& each) { return each.device() == device(); });
    const auto number = known == found.end() ? -1 : static_cast<int>(known - found.begin());
    auto native = std::make_unique<Native>();
    add_device(*native, context, device, number);
    return std::shared_ptr<Context>(new Context(std::move(native)));
  });
}

void treat_as_gpu(Context& context) {
  Context::Native& native = context.native();
  native.description.is_cpu = false;
  native.description.unified_memory = false;
  native.description.has_local_memory = true;
}

Context::Context(std::unique_ptr<Native> native) : native_(std::move(native)) {
  if (std::getenv("TANDEM_OPENCL_AS_GPU") != nullptr) treat_as_gpu(*this);
}
Context::~Context() = default;
const DeviceDescription& Context::device() const { return native_->description; }
int Context::devices() const { return static_cast<int>(native_->devices.size()); }
const std::vector<std::string>& Context::left_out() const { return native_->left_out; }
void* Context::cl_context() const { return native_->at(0).context(); }
void* Context::cl_device_id() const { return native_->at(0).device(); }

}  // namespace tandem::opencl
