// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/verbs/kconfig_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/base/announce.h"
#include "hone/cli/interrupts.h"
#include "hone/measure/paired.h"

namespace hone::cli {
namespace {

using kernels::KernelComparison;
using kernels::KernelFault;

double Percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

// Of too few pairs the interval has no ends, for which JSON has no word.
Json ShareJson(double log_ratio) {
  return std::isfinite(log_ratio) ? Json(std::expm1(log_ratio)) : Json(nullptr);
}

std::string RatioText(const std::string& name, const std::vector<double>& values) {
  const bool is_equal = std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
  if (is_equal) return fmt::format("  {:<12} equal\n", name);
  const PairedTest test = TestPairs(values);
  return fmt::format("  {:<12} {:+.2f} %  [{:+.2f} %, {:+.2f} %]\n", name, Percent(test.effect),
                     Percent(test.interval.low), Percent(test.interval.high));
}

std::string FaultText(const KernelFault& fault) {
  std::string text = fmt::format("{} {}\n", fault.is_of_a ? "A" : "B", fault.what);
  for (const Evidence& evidence : fault.evidence) {
    text += fmt::format("\n{}\n{}\n", evidence.what, evidence.text);
  }
  return text;
}

}  // namespace

Result<KernelComparison> CompareConfigs(Shell& shell, const KconfigRequest& request,
                                        const std::string& a, const std::string& b) {
  const AnnouncementListener listener([&](std::string_view text) {
    if (!shell.is_quiet) shell.console.err << text << std::endl;
  });
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  auto lab = kernels::OpenKernelLab(request.tree, request.arch);
  if (!lab) return lab.error();
  return kernels::CompareKernels(*lab, {.a = a, .b = b, .stop = (*interrupts)->wrap_up()});
}

std::string ComparisonText(const KernelComparison& comparison) {
  if (comparison.fault) return FaultText(*comparison.fault);
  std::size_t pairs = 0;
  std::string rows;
  for (const auto& [name, values] : comparison.log_ratios) {
    pairs = std::max(pairs, values.size());
    rows += RatioText(name, values);
  }
  for (const std::string& name : comparison.missing) {
    rows += fmt::format("  {:<12} not measured of both\n", name);
  }
  return fmt::format("B against A, {} seeds, in instructions for one call:\n{}{}", pairs, rows,
                     comparison.is_cut_short ? "It was cut short: this is no verdict.\n" : "");
}

Json ComparisonJson(const KernelComparison& comparison) {
  Json json{{"answer", NameOf(comparison.Answer())}};
  for (const auto& [name, values] : comparison.log_ratios) {
    const PairedTest test = TestPairs(values);
    json[name] = {{"effect", ShareJson(test.effect)},
                  {"low", ShareJson(test.interval.low)},
                  {"high", ShareJson(test.interval.high)},
                  {"pairs", test.count}};
  }
  if (!comparison.missing.empty()) json["missing"] = comparison.missing;
  if (const auto& fault = comparison.fault) {
    json["fault"] = {{"of", fault->is_of_a ? "A" : "B"}, {"what", fault->what}};
    for (const Evidence& one : fault->evidence) json["fault"]["evidence"][one.what] = one.text;
  }
  return json;
}

}  // namespace hone::cli
