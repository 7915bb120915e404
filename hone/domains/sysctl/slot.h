// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/domain.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/sysctl_context.h"
#include "hone/domains/sysctl/workload/workload_runner.h"

namespace hone::sysctl {

// A place where one run at a time is made: parameters under a transaction, and the workload beside
// them. The destructor ends the workload and puts the parameters back. Not safe for concurrent use.
class Slot {
 public:
  // Context and files outlive the slot.
  static Result<std::unique_ptr<Slot>> Open(const SysctlContext& context, KernelFiles& files,
                                            TransactionSettings transaction, WorkloadStage stage);

  // Puts the candidate in force, runs the workload once, and leaves the parameters as they are
  // for the run that follows; a broken tripwire puts them back at once.
  Result<RunResult> Run(const RunOrder& order);

 private:
  Slot(const SysctlContext& context, std::unique_ptr<ParameterTransaction> transaction,
       std::unique_ptr<WorkloadRunner> runner);

  using StickyTexts = std::map<std::string, std::optional<std::string>>;  // By path.

  struct InForce {
    ApplyReport report;
    StickyTexts sticky;
  };

  Result<InForce> PutInForce(const Assignment& assignment);
  bool IsSticky(const std::string& path) const;
  StickyTexts StickyInForce() const;
  std::vector<Evidence> EvidenceOf(const ApplyReport& report);
  void PutBack(const std::string& why);

  const SysctlContext& context_;
  std::mutex mutex_;  // Over transaction_: a tripwire breaks on another thread.
  std::unique_ptr<ParameterTransaction> transaction_;
  std::set<std::string> told_;  // Evidence that was given before.
  // What the service that runs was started with; nothing where that is not known.
  std::optional<StickyTexts> served_;
  std::unique_ptr<WorkloadRunner> runner_;  // Ends before the parameters go back.
};

}  // namespace hone::sysctl
