// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/evaluate.h"

#include <cstdio>
#include <optional>

#include "pipelines/progress.h"
#include "pipelines/streams/evaluation_page.h"
#include "pipelines/streams/rivals.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/output_file.h"
#include "pipelines/tandem/output/text_output.h"
#include "pipelines/tandem/streams/streams.h"

namespace tandem {
namespace {

void print_table(const streams::SampleTable& table, const streams::Evaluation& found) {
  std::printf("%s: %zu programs, %zu samples; the best settings: %.3f times one stream\n\n",
              table.origin.device.c_str(), found.programs.size(), found.samples.size(),
              found.best_speed_up);
  std::printf("%-22s %9s %9s %9s  %s\n", "method", "speed-up", "of best", "least",
              "the model is better on, worse on (beyond the timings' errors)");
  for (const auto& method : found.methods) {
    std::printf("%-22s %9.3f %8.1f%% %8.1f%%", method.name.c_str(), method.speed_up,
                100 * method.share, 100 * method.least_share);
    const streams::Evaluation::Lead lead = found.lead_over(method);
    if (&method == &found.methods.front())
      std::puts("");
    else
      std::printf("  %.0f%%, %.0f%% (%.0f%%, %.0f%%) of the programs\n", 100 * lead.ahead,
                  100 * lead.behind, 100 * lead.surely_ahead, 100 * lead.surely_behind);
  }
  std::printf("\n%s\n", streams::verdict_on_constant(found).c_str());
  if (!streams::has_rivals())
    std::puts(
        "The rivals of OpenCV are left out: this build lacks them, or OpenCV is not installed.");
}

}  // namespace

int streams_evaluate(const std::vector<std::string>& arguments) {
  std::vector<std::string> inputs;
  std::string output;
  streams::TrainOptions options;
  OptionParser parser(
      "streams evaluate",
      "Leaves out each program in turn, trains on the others, and compares what the "
      "model and its rivals choose with the best setting (docs/streams.md).");
  parser.add("output", output, "FILE", "a page with charts (HTML)", 'o');
  parser.add("networks", options.networks, "N", "networks whose mean is the estimate (default: 9)");
  parser.add_operands(inputs, "SAMPLES.json");
  parser.parse(arguments);
  if (inputs.size() != 1)
    throw UsageError(
        "evaluate needs one table, as in: tandem streams evaluate h200.json -o page.html");
  if (options.networks < 1) throw UsageError("--networks is below 1");
  std::optional<TextOutput> page;
  claim_input(inputs[0]);
  if (!output.empty()) page.emplace("--output", output);
  const streams::SampleTable table = read_sample_file(inputs[0]);
  ProgressLine line;
  streams::Evaluation found;
  try {
    found = streams::evaluate(table, options, [&line](std::size_t done, std::size_t all) {
      line.show("left out " + std::to_string(done) + " of " + std::to_string(all));
    });
  } catch (const std::runtime_error& error) {
    throw Failure("'" + inputs[0] + "' " + error.what());
  }
  line.clear();
  print_table(table, found);
  if (page) page->write(streams::evaluation_page(table, found));
  return 0;
}

}  // namespace tandem
