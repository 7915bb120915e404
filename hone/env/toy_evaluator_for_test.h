// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hone/domains/domain.h"
#include "hone/domains/toy/toy_domain.h"
#include "hone/env/domain_environment.h"
#include "hone/eval/worker/run_watch.h"
#include "hone/eval/worker/task_evaluation.h"

namespace hone::env {

inline DomainTable ToyTable() { return {{"toy", ToyDomainEntry()}}; }

inline std::shared_ptr<Domain> MakeToy(const Options& options) {
  auto domain = MakeDomain(ToyTable(), "toy", options);
  EXPECT_TRUE(domain) << domain.error().message;
  return std::move(*domain);
}

// Sees nothing, at no cost.
class BlindWatch final : public RunWatch {
 public:
  std::map<std::string, std::string> Facts() const override { return {}; }
  void Begin() override {}
  std::vector<std::string> End() override { return {}; }
};

// Evaluates on the caller's thread, each time in a session of its own.
inline Evaluator EvaluatorOf(std::shared_ptr<Domain> domain) {
  return [domain = std::move(domain)](const Task& task) -> Result<Evaluation> {
    auto session = domain->Open();
    if (!session) return session.error();
    BlindWatch watch;
    return EvaluateTask(task, {**session, domain->Facts(), watch, SystemClock()}, {});
  };
}

inline RewardRule ThroughputRule() {
  RewardRule rule;
  rule.objectives = {{"throughput", Direction::kHigherIsBetter, 1}};
  return rule;
}

inline std::unique_ptr<Environment> MakeToyEnvironment(const std::shared_ptr<Domain>& domain,
                                                       DomainEnvironmentSettings settings) {
  auto environment = MakeDomainEnvironment(*domain, EvaluatorOf(domain), std::move(settings));
  EXPECT_TRUE(environment) << environment.error().message;
  return std::move(*environment);
}

}  // namespace hone::env
