// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/domain.h"

namespace hone::sysctl {

// A number that a probe tells.
struct ProbeReading {
  std::string name;
  double value = 0;

  bool operator==(const ProbeReading&) const = default;
};

// Told as it goes, several times a second. May be empty: then nobody listens.
using ProbeSeries = std::function<void(const ProbeReading&)>;

// A measuring program of our own, which needs nothing but the kernel: a load, and what it came to.
// The same options make the same requests to the kernel in the same order.
struct Probe {
  std::string name;
  std::string summary;
  std::vector<OptionFacts> options;
  std::vector<std::string> tells;  // "gbit_per_s: received by the server", for help.
  std::function<Result<std::vector<ProbeReading>>(const Options& options,
                                                  const ProbeSeries& series)>
      run;
};

// All, in the order in which help lists them.
const std::vector<Probe>& AllProbes();

// An unknown name is an error that lists what there is.
Result<const Probe*> FindProbe(const std::string& name);

// Refuses an unknown option with the known ones, then runs it.
Result<std::vector<ProbeReading>> RunProbe(const Probe& probe, const Options& options,
                                           const ProbeSeries& series);

// "gbit_per_s: 12.345", as the strict reader of metrics wants it. No newline.
std::string LineOf(const ProbeReading& reading);

}  // namespace hone::sysctl
