// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <map>
#include <ostream>
#include <string_view>
#include <utility>

#include "hone/base/announce.h"
#include "hone/base/json/json.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/domains/kconfig/kernel_lab.h"
#include "hone/measure/paired.h"

namespace hone::cli {
namespace {

using kernels::BuiltKernel;
using kernels::KernelLab;

constexpr std::uint64_t kSeeds = 12;

// The log-ratios of B to A, a pair a seed, by metric.
using Ratios = std::map<std::string, std::vector<double>>;

Result<BuiltKernel> Built(KernelLab& lab, const std::string& base, const std::stop_token& stop) {
  const auto config = kernels::ConfigFor(lab, base, {});
  if (!config) return config.error();
  const auto build = lab.builder->Build({config->config, std::chrono::hours{6}, stop});
  if (!build) return build.error();
  if (build->kernel) return *build->kernel;
  return Error{Errc::kInvalidArgument, fmt::format("{}: {}\n{}", base, build->reason, build->log)};
}

Result<Sample> Measured(KernelLab& lab, const BuiltKernel& kernel, std::uint64_t seed,
                        const std::stop_token& stop) {
  kernels::MeasureOrder order = kernels::MeasureAll(lab, kernel);
  order.seed = seed;
  order.stop = stop;
  auto ran = kernels::MeasureKernel(*lab.guest, order);
  if (!ran) return ran.error();
  if (ran->outcome == Outcome::kAccepted) return std::move(ran->sample);
  return Error{Errc::kInvalidArgument,
               fmt::format("{}: {}: {}", kernel.image.string(), NameOf(ran->outcome), ran->reason)};
}

Result<Ratios> MeasurePairs(KernelLab& lab, const BuiltKernel& a, const BuiltKernel& b,
                            const std::stop_token& stop) {
  Ratios ratios;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    auto other = std::async(std::launch::async, [&] { return Measured(lab, b, seed, stop); });
    const auto first = Measured(lab, a, seed, stop);
    const auto second = other.get();
    if (!first) return first.error();
    if (!second) return second.error();
    for (const auto& [name, reading] : first->metrics) {
      ratios[name].push_back(std::log(second->metrics.at(name).value / reading.value));
    }
  }
  return ratios;
}

double Percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

std::string RatiosText(const Ratios& ratios) {
  std::string text = fmt::format("B against A, {} seeds, in instructions for one call:\n", kSeeds);
  for (const auto& [name, values] : ratios) {
    const PairedTest test = TestPairs(values);
    const bool is_equal =
        std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
    text += is_equal ? fmt::format("  {:<12} equal\n", name)
                     : fmt::format("  {:<12} {:+.2f} %  [{:+.2f} %, {:+.2f} %]\n", name,
                                   Percent(test.effect), Percent(test.interval.low),
                                   Percent(test.interval.high));
  }
  return text;
}

Json RatiosJson(const Ratios& ratios) {
  Json json = Json::object();
  for (const auto& [name, values] : ratios) {
    const PairedTest test = TestPairs(values);
    json[name] = {{"effect", std::expm1(test.effect)},
                  {"low", std::expm1(test.interval.low)},
                  {"high", std::expm1(test.interval.high)},
                  {"pairs", test.count}};
  }
  return json;
}

}  // namespace

Result<ExitCode> KconfigCompare(Shell& shell, const KconfigRequest& request) {
  if (request.operands.size() != 2) {
    return Error{Errc::kInvalidArgument,
                 "compare: expected two configurations: files, or small, tiny, defconfig"};
  }
  const AnnouncementListener listener([&](std::string_view text) {
    if (!shell.is_quiet) shell.console.err << text << std::endl;
  });
  auto interrupts = Interrupts::Watch([](int) {});
  if (!interrupts) return interrupts.error();
  const std::stop_token stop = (*interrupts)->wrap_up();
  auto lab = kernels::OpenKernelLab(request.tree, request.arch);
  if (!lab) return lab.error();
  const auto a = Built(*lab, request.operands[0], stop);
  if (!a) return a.error();
  const auto b = Built(*lab, request.operands[1], stop);
  if (!b) return b.error();
  const auto ratios = MeasurePairs(*lab, *a, *b, stop);
  if (!ratios) return ratios.error();
  shell.console.out << (shell.wants_json ? Dump(RatiosJson(*ratios)) + "\n" : RatiosText(*ratios));
  return ExitCode::kYes;
}

}  // namespace hone::cli
