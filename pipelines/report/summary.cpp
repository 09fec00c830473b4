// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "pipelines/report/marks.h"
#include "pipelines/report/markup.h"
#include "pipelines/report/page.h"

namespace tandem {
namespace {

std::string cell(const std::string& text) { return element("td", escaped(text)); }
std::string number_cell(const std::string& text) { return element("td", escaped(text), "number"); }
std::string number_cell(std::optional<double> value) { return number_cell(significant(value)); }
std::string head(const std::string& text, bool number = true) {
  return element("th", escaped(text), number ? "number" : "");
}

// One line of the summary. The baseline is another way to run its configuration, so nothing of that
// configuration is said of it.
struct Line {
  std::string mark, what, configuration;
  Performance measured = {};
  std::optional<double> predicted_fps = {}, ratio_to_best = {};
};

Line line_of(const BenchFile& bench, Mark mark, const char* what,
             const std::optional<BenchFile::Pick>& pick) {
  Line line{mark_in_text(mark), what, kUnknown};
  if (!pick) return line;
  line.configuration = pick->name;
  line.measured = pick->measured;
  line.ratio_to_best = pick->ratio_to_best;
  const BenchFile::Configuration* found = find_configuration(bench, pick->name);
  if (found && mark != Mark::baseline) {
    line.predicted_fps = found->predicted.throughput_fps;
    if (!line.measured.energy_j) line.measured.energy_j = found->measured.energy_j;
  }
  return line;
}

std::vector<Line> lines_of(const BenchFile& bench, const Metric& metric) {
  std::vector<Line> lines = {line_of(bench, Mark::chosen, "Chosen", bench.chosen),
                             line_of(bench, Mark::best, "Best", bench.best),
                             line_of(bench, Mark::baseline, "Baseline", bench.baseline),
                             {"", "CPU alone, cg", "", {bench.cpu_cg_fps, {}}},
                             {"", "CPU alone, mg", "", {bench.cpu_mg_fps, {}}},
                             {"", "Device alone", "", {bench.device_fps, {}}}};
  // 0: unknown
  const double best = bench.best ? metric.score(bench.best->measured).value_or(0) : 0;
  for (Line& line : lines) {
    const std::optional<double> own = metric.score(line.measured);
    if (!line.ratio_to_best && own && best > 0) line.ratio_to_best = *own / best;
  }
  return lines;
}

std::string training(const BenchFile& bench) {
  if (!bench.training) return "Training: none recorded.";
  const auto count = [](std::optional<double> value, const std::string& unit) {
    return (value ? fixed(*value, 0) : "an unknown number of") + " " + unit;
  };
  return "Training: " + count(bench.training->experiments, "experiments") + " on " +
         count(bench.training->frames, "frames") + ", " +
         (bench.training->seconds ? significant(*bench.training->seconds) + " s."
                                  : "time not recorded.");
}

using Value = std::optional<double>;

// All values are of the metric by which configurations are judged, in its unit.
class Choice {
 public:
  Choice(const BenchFile& bench, const std::vector<Metric>& metrics)
      : bench_(bench), metric_(metrics[judging_metric(bench)]) {}

  std::string sentences() const {
    const BenchFile::Pick &chosen = *bench_.chosen, &best = *bench_.best;
    const Value reached = metric_.value(chosen.measured), most = metric_.value(best.measured);
    if (!reached || !most || !(*reached > 0) || !(*most > 0)) return "";
    const bool won = chosen.name == best.name;
    std::string out = "tandembin chose " + chosen.name;
    if (won) {
      out += ", and it is the best of the " + std::to_string(bench_.configurations.size()) +
             " configurations that were measured: " + metric_.with_unit(*reached) + ".";
    } else {
      out += ", which reaches " + percent(ratio(*reached, *most)) +
             " of the best: " + metric_.with_unit(*reached) + ", " + best.name + " " +
             metric_.with_unit(*most) + ".";
    }
    out += expected_sentence(*reached) + loss_sentence() + tried_sentence();
    return won ? out + runner_up_sentence() : out + reason_sentence(*most);
  }

 private:
  // How good `a` is beside `b`; 1: equally.
  double ratio(double a, double b) const { return metric_.lower_is_better ? b / a : a / b; }

  Value modelled(const std::string& name) const {
    const BenchFile::Configuration* found = find_configuration(bench_, name);
    return found ? metric_.value(found->predicted) : std::nullopt;
  }

  Value ranked(const std::string& name) const {
    if (!bench_.training) return std::nullopt;
    const auto& ranking = bench_.training->ranking;
    const auto found = std::ranges::find(ranking, name, &BenchFile::Ranked::name);
    return found == ranking.end() ? std::nullopt : metric_.value(found->expected);
  }

  Value expected() const {
    const Value trained = metric_.value(bench_.chosen->predicted);
    return trained ? trained : modelled(bench_.chosen->name);
  }

  // " (8.0% less than was measured)"
  std::string beside_measured(double expected, double measured) const {
    const double error = expected / measured - 1;
    if (std::fabs(error) < 0.0005) return " (as measured)";
    return " (" + percent(std::fabs(error)) + (error < 0 ? " less" : " more") +
           " than was measured)";
  }

  std::string expected_sentence(double reached) const {
    const Value expected = this->expected();
    if (!expected) return "";
    return " When it decided it expected " + metric_.with_unit(*expected) +
           beside_measured(*expected, reached) + ".";
  }

  std::string loss_sentence() const {
    if (!bench_.training || !bench_.training->expected_loss) return "";
    return " It expected to lose " + percent(*bench_.training->expected_loss) +
           " on average to a better configuration.";
  }

  std::string tried_sentence() const {
    if (!bench_.training || !bench_.training->trials || !bench_.training->experiments) return "";
    const auto count = [](double number, const std::string& what) {
      return fixed(number, 0) + " " + what + (number == 1 ? "" : "s");
    };
    const double trials = *bench_.training->trials;
    return " Before, it had made " + count(*bench_.training->experiments, "experiment") + " and " +
           (trials > 0 ? count(trials, "trial") : "no trial") + ".";
  }

  std::string runner_up_sentence() const {
    if (!bench_.training) return "";
    for (const BenchFile::Ranked& other : bench_.training->ranking) {
      const Value expected = metric_.value(other.expected);
      if (other.name == bench_.chosen->name || !expected) continue;
      return " Next to it in training was " + other.name + ", with " +
             metric_.with_unit(*expected) + ".";
    }
    return "";
  }

  // Why something else was chosen than what is best.
  std::string reason_sentence(double most) const {
    const std::string &best = bench_.best->name, &chosen = bench_.chosen->name;
    const Value of_chosen = expected(), of_best = modelled(best);
    if (const Value known = ranked(best); known && of_chosen) {
      const std::string seen = " " + best + " was known when training ended, with " +
                               metric_.with_unit(*known) + beside_measured(*known, most);
      return seen + (ratio(*known, *of_chosen) < 1
                         ? ": less good than " + chosen + " was then."
                         : ": too little better than " + chosen + " to be taken instead.");
    }
    if (!of_best || !of_chosen) return "";
    const std::string model = " Of " + best + " the model predicted " +
                              metric_.with_unit(*of_best) + beside_measured(*of_best, most);
    if (ratio(*of_best, *of_chosen) < 1)
      return model + ", which is less good than what was expected of " + chosen + ".";
    const bool tells = bench_.training && !bench_.training->ranking.empty();
    return model + ", which is better than what was expected of " + chosen +
           (tells ? "; after the trials it was not among the best five any more."
                  : "; the file has no results of trials.");
  }

  const BenchFile& bench_;
  const Metric& metric_;
};

}  // namespace

std::string bench_title(const BenchFile& bench) {
  return bench.app + ", " + std::to_string(bench.width) + "\u00d7" + std::to_string(bench.height);
}

std::string bench_conditions(const BenchFile& bench) {
  const auto fact = [](const char* name, const std::string& value) {
    return element("div", element("dt", name) + element("dd", escaped(value)));
  };
  const auto known = [&](const char* name, const std::optional<std::string>& value) {
    return value ? fact(name, *value) : "";
  };
  return "<dl class=\"conditions\">" + known("Measured", bench.origin.date) +
         known("On", bench.origin.host) + known("By Tandem", bench.origin.version) +
         known("Processor", bench.origin.processor) +
         fact("CPU cores", std::to_string(bench.cores)) +
         fact("OpenCL device", bench.opencl_device.value_or("none")) +
         (bench.origin.version ? fact("Input", bench.origin.input.value_or("a moving pattern"))
                               : "") +
         fact("Frames in each configuration", "at least " + std::to_string(bench.frames)) +
         fact("Energy", bench.energy_source.value_or("not measured")) +
         fact("Chosen and best by", bench.metric) + "</dl>\n";
}

std::string summary_table(const BenchFile& bench, const std::vector<Metric>& metrics) {
  const Metric &throughput = metrics[0], &energy = metrics[1], &efficient = metrics[2];
  const bool latency = metrics[3].any_measured();
  std::string out = "<div class=\"scroll\"><table class=\"summary\"><thead><tr>" + head("", false) +
                    head("Configuration", false) + head(throughput.unit) + head("of best");
  if (throughput.any_predicted()) out += head("predicted") + head("error");
  if (energy.any_measured()) out += head(energy.unit) + head(efficient.unit);
  if (latency) out += head("latency, ms");
  out += "</tr></thead><tbody>\n";
  for (const Line& line : lines_of(bench, metrics[judging_metric(bench)])) {
    out += "<tr><th>" + line.mark + escaped(line.what) + "</th>" + cell(line.configuration) +
           number_cell(line.measured.throughput_fps) + number_cell(percent(line.ratio_to_best));
    if (throughput.any_predicted()) {
      const Metric::Values values{line.measured.throughput_fps, line.predicted_fps};
      out +=
          number_cell(line.predicted_fps) + number_cell(signed_percent(prediction_error(values)));
    }
    if (energy.any_measured())
      out += number_cell(energy.value(line.measured)) + number_cell(efficient.value(line.measured));
    if (latency) out += number_cell(line.measured.latency_ms);
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (const std::string choice = choice_sentences(bench, metrics); !choice.empty())
    out += element("p", escaped(choice), "choice") + "\n";
  return out + element("p", escaped(training(bench))) + "\n";
}

std::string values_table(const BenchFile& bench, const std::vector<Metric>& metrics) {
  std::string groups = "<tr><th></th>";
  std::string columns = "<tr>" + head("Configuration", false);
  for (const Metric& metric : metrics) {
    if (!metric.any()) continue;
    groups += "<th colspan=\"" + std::string(metric.any_predicted() ? "3" : "1") +
              "\" class=\"number\">" + escaped(metric.title + ", " + metric.unit) + "</th>";
    columns += head("measured");
    if (metric.any_predicted()) columns += head("predicted") + head("error");
  }
  std::string out = "<div class=\"scroll\"><table class=\"values\"><thead>" + groups + "</tr>" +
                    columns + "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < bench.configurations.size(); ++i) {
    out += "<tr>" + cell(bench.configurations[i].name);
    for (const Metric& metric : metrics) {
      if (!metric.any()) continue;
      const Metric::Values& values = metric.values[i];
      out += number_cell(values.measured);
      if (metric.any_predicted()) {
        out +=
            number_cell(values.predicted) + number_cell(signed_percent(prediction_error(values)));
      }
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string choice_sentences(const BenchFile& bench, const std::vector<Metric>& metrics) {
  if (!bench.chosen || !bench.best) return "";
  return Choice(bench, metrics).sentences();
}

}  // namespace tandem
