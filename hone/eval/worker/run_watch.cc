// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/worker/run_watch.h"

#include "hone/measure/machine_facts.h"

namespace hone {
namespace {

class MachineRunWatch final : public RunWatch {
 public:
  explicit MachineRunWatch(Clock& clock) : watch_("/", clock) {}

  std::map<std::string, std::string> Facts() const override { return watch_.facts(); }
  void Begin() override { before_ = watch_.Read(); }
  std::vector<std::string> End() override { return watch_.Since(before_).marks; }

 private:
  MachineWatch watch_;
  MachineReading before_;
};

}  // namespace

std::unique_ptr<RunWatch> MakeMachineRunWatch(Clock& clock) {
  return std::make_unique<MachineRunWatch>(clock);
}

}  // namespace hone
