// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/probes/probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/core/nearest.h"
#include "hone/domains/domain.h"
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
  if (auto checked = CheckOptionNames(probe.name, probe.options, options); !checked) {
    return checked.error();
  }
  return probe.run(options, series);
}

std::string LineOf(const ProbeReading& reading) {
  return fmt::format("{}: {:.6g}", reading.name, reading.value);
}

}  // namespace hone::sysctl
