// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "pipelines/report/page.h"
#include "pipelines/tandem/commands.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"

namespace tandem {
namespace {

BenchFile read_bench(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) throw Failure("cannot read '" + path + "': " + std::strerror(errno ? errno : EIO));
  try {
    return parse_bench_file(text);
  } catch (const std::exception& error) {
    throw Failure("'" + path + "': " + error.what(),
                  "This command reads what `tandem bench --json FILE` writes.");
  }
}

}  // namespace

int report_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  std::string output;
  OptionParser parser("report",
                      "Draws throughput, energy and efficiency of every configuration, predicted "
                      "and measured, from the JSON of `tandem bench`.");
  parser.add("output", output, "FILE", "the HTML page to write; - is standard output", 'o');
  parser.add_operands(inputs, "FILE.json...");
  parser.parse(arguments);
  if (inputs.empty()) {
    throw UsageError(
        "report needs a file of `tandem bench --json FILE`, as in: tandem report "
        "bench.json -o report.html");
  }
  if (output.empty()) {
    throw UsageError("--output FILE is missing: name the page to write, or - for standard output");
  }
  for (const std::string& input : inputs) claim_input(input);
  TextOutput page("--output", output);
  std::vector<BenchFile> benches;
  benches.reserve(inputs.size());
  for (const std::string& input : inputs) benches.push_back(read_bench(input));
  page.write(report_page(benches));
  return 0;
}

}  // namespace tandem
