// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "pipelines/report/markup.h"
#include "pipelines/report/page.h"

namespace tandem {
namespace {

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

std::string choice_sentences(const BenchFile& bench, const std::vector<Metric>& metrics) {
  if (!bench.chosen || !bench.best) return "";
  return Choice(bench, metrics).sentences();
}

}  // namespace tandem
