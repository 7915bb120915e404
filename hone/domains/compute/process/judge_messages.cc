// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judge_messages.h"

#include <utility>

#include "hone/base/json/records.h"

namespace hone::compute {
namespace {

// A run's result in the form of an evaluation, which has a record of its own.
Json ResultJson(const RunResult& result) {
  Evaluation evaluation;
  evaluation.outcome = result.outcome;
  evaluation.reason = result.reason;
  evaluation.samples = {result.sample};
  evaluation.evidence = result.evidence;
  return hone::ToJson(evaluation);
}

}  // namespace

Json ToJson(const JudgeRequest& request) {
  return {{"what", static_cast<int>(request.what)},
          {"number", request.number},
          {"options", request.options},
          {"candidate", hone::ToJson(request.candidate)},
          {"arm", static_cast<int>(request.arm)},
          {"seed", request.seed},
          {"position", request.position},
          {"limit_ms", request.limit.count()},
          {"cpus", request.cpus}};
}

Result<JudgeRequest> ReadJudgeRequest(const Json& json) {
  JsonReader reader(json, "a request to the judge");
  JudgeRequest request;
  request.what = static_cast<JudgeRequest::What>(reader.At("what").Integer());
  request.number = reader.At("number").Unsigned();
  for (auto& [name, value] : reader.At("options").Members()) request.options[name] = value.String();
  request.candidate = ReadCandidate(reader.At("candidate"));
  request.arm = static_cast<Arm>(reader.At("arm").Integer());
  request.seed = reader.At("seed").Unsigned();
  request.position = reader.At("position").Integer();
  request.limit = std::chrono::milliseconds{reader.At("limit_ms").Integer()};
  for (JsonReader& cpu : reader.At("cpus").Items()) {
    request.cpus.push_back(static_cast<int>(cpu.Integer()));
  }
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  return request;
}

Json ToJson(const JudgeAnswer& answer) {
  Json json = {{"number", answer.number}};
  if (answer.result) {
    json["result"] = ResultJson(*answer.result);
  } else {
    json["error"] = {{"code", static_cast<int>(answer.result.error().code)},
                     {"message", answer.result.error().message}};
  }
  return json;
}

Result<JudgeAnswer> ReadJudgeAnswer(const Json& json) {
  JsonReader reader(json, "an answer of the judge");
  JudgeAnswer answer;
  answer.number = reader.At("number").Unsigned();
  if (reader.Has("error")) {
    JsonReader error = reader.At("error");
    answer.result =
        Error{static_cast<Errc>(error.At("code").Integer()), error.At("message").String()};
  } else {
    Evaluation evaluation = ReadEvaluation(reader.At("result"));
    RunResult result{
        evaluation.outcome, std::move(evaluation.reason), {}, std::move(evaluation.evidence)};
    if (!evaluation.samples.empty()) result.sample = std::move(evaluation.samples.front());
    answer.result = std::move(result);
  }
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  return answer;
}

}  // namespace hone::compute
