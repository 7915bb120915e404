// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_record.h"

#include <utility>

namespace hone::agent {

Json ToJson(const KernelAttempt& attempt) {
  Json json{{"number", attempt.number},
            {"round", attempt.round},
            {"line", attempt.line},
            {"parents", attempt.parents},
            {"source", attempt.source},
            {"outcome", NameOf(attempt.verdict.outcome)},
            {"feedback", attempt.verdict.feedback},
            {"tokens", attempt.tokens}};
  if (const auto& speedup = attempt.verdict.speedup) {
    json["speedup"] = {speedup->value, speedup->low, speedup->high};
  }
  return json;
}

Result<KernelAttempt> ParseKernelAttempt(const Json& json, const std::string& what) {
  JsonReader reader(json, what);
  KernelAttempt attempt;
  attempt.number = reader.At("number").Integer();
  attempt.round = reader.At("round").Integer();
  attempt.line = reader.At("line").Integer();
  for (JsonReader& parent : reader.At("parents").Items()) {
    attempt.parents.push_back(parent.Integer());
  }
  attempt.source = reader.At("source").String();
  auto outcome = OutcomeNamed(reader.At("outcome").String());
  attempt.verdict.feedback = reader.At("feedback").String();
  attempt.tokens = reader.At("tokens").Integer();
  if (reader.Has("speedup")) {
    auto parts = reader.At("speedup").Items();
    if (parts.size() == 3) {
      attempt.verdict.speedup = Speedup{parts[0].Number(), parts[1].Number(), parts[2].Number()};
    } else {
      reader.Fail("expected a speedup and its interval: three numbers");
    }
  }
  if (auto read = reader.Finish(); !read) return read.error();
  if (!outcome) return outcome.error();
  attempt.verdict.outcome = *outcome;
  return attempt;
}

}  // namespace hone::agent
