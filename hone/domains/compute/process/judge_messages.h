// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"
#include "hone/domains/domain.h"

// What a worker and the process of its judge say to each other (base/json/json_frames.h). Every
// request has a number; the answer has the same. One request at a
// time; only "stop" may follow while another is being worked on, and has no answer of its own.
namespace hone::compute {

struct JudgeRequest {
  enum class What { kOpen, kPrepare, kRun, kClose, kStop };
  What what = What::kOpen;
  std::uint64_t number = 0;
  Options options = {};      // Of kOpen.
  Candidate candidate = {};  // Of kPrepare and kRun, like what follows.
  Arm arm = Arm::kCandidate;
  std::uint64_t seed = 0;
  std::int64_t position = 0;
  std::chrono::milliseconds limit{0};
  std::vector<int> cpus = {};
};

struct JudgeAnswer {
  std::uint64_t number = 0;
  Result<RunResult> result = RunResult{};  // An empty one for kOpen and kClose.
};

Json ToJson(const JudgeRequest& request);
Json ToJson(const JudgeAnswer& answer);
Result<JudgeRequest> ReadJudgeRequest(const Json& json);
Result<JudgeAnswer> ReadJudgeAnswer(const Json& json);

}  // namespace hone::compute
