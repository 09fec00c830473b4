// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/generate/c_loop.h"

#include <dlfcn.h>

#include <cstdlib>
#include <regex>
#include <stdexcept>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

CLoop::Parameter parameter_of(const std::string& text) {
  CLoop::Parameter parameter;
  parameter.is_array = text.find_first_of("[*") != text.npos;
  parameter.is_const = text.find("const") != text.npos;
  if (text.find("int ") != text.npos) parameter.type = 'i';
  if (text.find("unsigned char ") != text.npos) parameter.type = 'u';
  const std::string head = text.substr(0, text.find('['));
  parameter.name = head.substr(head.find_last_of(" *") + 1);
  return parameter;
}

}  // namespace

CLoop::CLoop(const std::string& path, const std::string& folder) {
  const std::string text = read_file(path);
  static const std::regex head(R"((^|\n)(void|float|int) (\w+)\(([^)]*)\) \{)");
  std::smatch found;
  if (!std::regex_search(text, found, head)) throw std::runtime_error("no function in " + path);
  result_ = found[2].str()[0];
  std::string list = found[4].str() + ",", call;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = list.find(',', at);
    parameters_.push_back(parameter_of(list.substr(at, end - at)));
    at = end + 1;
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    const std::string argument = "p[" + std::to_string(i) + "]";
    call += i > 0 ? ", " : "";
    call += p.is_array ? argument
                       : std::string("*(") + (p.type == 'i' ? "int" : "float") + "*)" + argument;
  }
  call = found[3].str() + "(" + call + ")";
  if (result_ != 'v') call = "*(" + found[2].str() + "*)result = " + call;
  write_file(folder + "/loop.c", "#include \"" + path +
                                     "\"\nvoid tandem_run(void* const* p, void* result) { " + call +
                                     "; }\n");
  const std::string object = folder + "/loop.so";
  const std::string command = c_compiler().path +
                              " -std=gnu11 -O2 -w -ffp-contract=off -fPIC -shared -o " + object +
                              " " + folder + "/loop.c -lm";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot compile " + path);
  library_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw std::runtime_error(dlerror());
  call_ = reinterpret_cast<void (*)(void* const*, void*)>(dlsym(library_, "tandem_run"));
}

void CLoop::run(const std::vector<void*>& arguments, void* result) const {
  call_(arguments.data(), result);
}

}  // namespace tandem::test
