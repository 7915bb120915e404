// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/known_option_facts.h"

#include <algorithm>

#include "hone/core/nearest.h"
#include "hone/domains/kconfig/options/option_knowledge.h"

namespace hone::app {
namespace {

agent::OptionFact FactOfKnown(const kernels::KnownOption& option, const std::string& better) {
  agent::OptionFact fact;
  fact.source = {agent::LabelOrigin::kKnowledge, option.source, option.why};
  if (!option.protected_for.empty()) {
    fact.source.evidence = "protected for " + option.protected_for;
  } else if (better == "higher" || better == "lower") {
    fact.right = better == "higher" ? agent::RightMove::kHigher : agent::RightMove::kLower;
  } else {
    fact.right = agent::RightMove::kSet;
    fact.accepted = {{better, 1}};
  }
  return fact;
}

}  // namespace

Result<agent::OptionFacts> KnownOptionFacts(const std::string& aim) {
  const auto& aims = kernels::KnownAims();
  if (std::find(aims.begin(), aims.end(), aim) == aims.end()) {
    return Error{Errc::kInvalidArgument, NoSuch("aim", aim, aims)};
  }
  agent::OptionFacts facts;
  for (const kernels::KnownOption& option : kernels::OptionKnowledge::BuiltIn().all()) {
    const auto better = option.better.find(aim);
    if (better == option.better.end()) continue;
    facts.options[option.name] = FactOfKnown(option, better->second);
  }
  return facts;
}

}  // namespace hone::app
