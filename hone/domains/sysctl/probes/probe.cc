// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hone/core/nearest.h"
#include "hone/domains/sysctl/probes/all_probes.h"

namespace hone::sysctl {

const std::vector<Probe>& AllProbes() {
  static const std::vector<Probe> probes = {MakeMemoryProbe(), MakeWriteBurstProbe(),
                                            MakeTcpProbe(), MakeTcpServerProbe()};
  return probes;
}

Result<const Probe*> FindProbe(const std::string& name) {
  const auto found = std::ranges::find(AllProbes(), name, &Probe::name);
  if (found != AllProbes().end()) return &*found;
  std::vector<std::string> names;
  for (const Probe& probe : AllProbes()) names.push_back(probe.name);
  return Error{Errc::kNotFound, NoSuch("workload", name, names)};
}

Result<std::vector<ProbeReading>> RunProbe(const Probe& probe, const Options& options,
                                           const ProbeSeries& series) {
  for (const auto& [option, text] : options) {
    if (std::ranges::count(probe.options, option, &OptionFacts::name) > 0) continue;
    std::vector<std::string> names;
    for (const OptionFacts& known : probe.options) names.push_back(known.name);
    return Error{Errc::kInvalidArgument, fmt::format("{}: no option {}; there are: {}", probe.name,
                                                     option, fmt::join(names, ", "))};
  }
  return probe.run(options, series);
}

std::string LineOf(const ProbeReading& reading) {
  return fmt::format("{}: {:.6g}", reading.name, reading.value);
}

}  // namespace hone::sysctl
