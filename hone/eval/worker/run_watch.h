// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/clock.h"

namespace hone {

// Looks at the machine around each run. Not safe for concurrent use.
class RunWatch {
 public:
  virtual ~RunWatch() = default;

  // About the machine, for provenance.
  virtual std::map<std::string, std::string> Facts() const = 0;

  virtual void Begin() = 0;

  // Why not to trust the run since Begin fully; empty if there is no reason.
  virtual std::vector<std::string> End() = 0;
};

// Watches this machine through measure/machine_facts.h.
std::unique_ptr<RunWatch> MakeMachineRunWatch(Clock& clock);

}  // namespace hone
