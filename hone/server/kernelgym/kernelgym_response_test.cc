// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_response.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>
#include <variant>

namespace hone::server {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const WallTime kSubmitted{seconds{1'700'000'000}};

TaskView SettledView(std::variant<Evaluation, Settlement::Drop> end) {
  TaskView view;
  view.task.id = "t";
  view.state = TaskState::kSettled;
  view.pushed = kSubmitted;
  view.taken = kSubmitted + seconds{1};
  view.settled = kSubmitted + seconds{3};
  view.settlement = std::make_shared<const Settlement>(Settlement{std::move(end)});
  return view;
}

Evaluation EvaluationOf(Outcome outcome) {
  Evaluation evaluation;
  evaluation.task = "t";
  evaluation.outcome = outcome;
  if (outcome != Outcome::kAccepted) evaluation.reason = "because";
  evaluation.metrics = {
      {"time", "ms", 2, 0, 1}, {"reference_time", "ms", 6, 0, 1}, {"speedup", "", 3, 0, 1}};
  return evaluation;
}

struct Row {
  Outcome outcome;
  const char* status;
  bool compiled;
  bool correctness;
  bool decoy;
  const char* error_code;
};

class OutcomeMatrixTest : public testing::TestWithParam<Row> {};

TEST_P(OutcomeMatrixTest, IsKernelGyms) {
  const Json json = KernelGymResult(SettledView(EvaluationOf(GetParam().outcome)));
  EXPECT_EQ(json.size(), 14);
  EXPECT_EQ(json["status"], GetParam().status);
  EXPECT_EQ(json["compiled"], GetParam().compiled);
  EXPECT_EQ(json["correctness"], GetParam().correctness);
  EXPECT_EQ(json["decoy_kernel"], GetParam().decoy);
  const bool is_accepted = GetParam().outcome == Outcome::kAccepted;
  EXPECT_EQ(json["error_code"], is_accepted ? Json() : Json(GetParam().error_code));
  EXPECT_EQ(json["error_message"], is_accepted ? Json() : Json("because"));
  EXPECT_EQ(json["kernel_runtime"], is_accepted ? 2.0 : -1.0);
  EXPECT_EQ(json["reference_runtime"], is_accepted ? 6.0 : -1.0);
  EXPECT_EQ(json["speedup"], is_accepted ? 3.0 : 0.0);
  EXPECT_EQ(json["processing_time"], 2.0);
  EXPECT_EQ(json["submitted_at"], "2023-11-14T22:13:20.000000Z");
  EXPECT_EQ(json["completed_at"], "2023-11-14T22:13:23.000000Z");
}

INSTANTIATE_TEST_SUITE_P(
    KernelGymResponse, OutcomeMatrixTest,
    testing::Values(Row{Outcome::kAccepted, "completed", true, true, false, ""},
                    Row{Outcome::kRejected, "failed", false, false, false, "VALIDATION_ERROR"},
                    Row{Outcome::kBuildFailed, "failed", false, false, false, "COMPILATION_ERROR"},
                    Row{Outcome::kCrashed, "completed", true, false, false, "RUNTIME_ERROR"},
                    Row{Outcome::kTimedOut, "failed", false, false, false, "TIMEOUT_ERROR"},
                    Row{Outcome::kWrong, "completed", true, false, false, "CORRECTNESS_ERROR"},
                    Row{Outcome::kCheated, "completed", true, false, true, "CORRECTNESS_ERROR"}));

TEST(KernelGymResponseTest, WhatTheServiceFailedAtIsNeverBlamedOnTheKernel) {
  TaskView taken = SettledView(Settlement::Drop{Dropped::kExpired, "late"});
  taken.worker = "ada";
  const Json late = KernelGymResult(taken);
  EXPECT_EQ(late["error_code"], "TIMEOUT_ERROR");
  for (const Dropped why : {Dropped::kCancelled, Dropped::kAbandoned}) {
    const Json json = KernelGymResult(SettledView(Settlement::Drop{why, "no luck"}));
    EXPECT_EQ(json["status"], "failed");
    EXPECT_EQ(json["error_code"], "SYSTEM_ERROR");
    EXPECT_EQ(json["error_message"], "the kernel was not judged: no luck");
  }
}

TEST(KernelGymResponseTest, WhatNobodyTookIsAFailureOfTheServiceThatNamesWhatItNeeded) {
  TaskView view = SettledView(Settlement::Drop{Dropped::kExpired, "late"});
  view.worker.clear();
  view.task.needs.names = {"gpu", "triton"};
  const Json json = KernelGymResult(view);
  EXPECT_EQ(json["error_code"], "SYSTEM_ERROR");
  EXPECT_THAT(json["error_message"].get<std::string>(), HasSubstr("gpu, triton"));
}

TEST(KernelGymResponseTest, TheFullCompilerErrorReachesTheModel) {
  Evaluation evaluation = EvaluationOf(Outcome::kBuildFailed);
  evaluation.evidence = {{"compiler output", "k.cc:3: error: expected ';'"}};
  const Json json = KernelGymResult(SettledView(evaluation));
  EXPECT_THAT(json["error_message"].get<std::string>(), HasSubstr("expected ';'"));
  EXPECT_THAT(json["metadata"]["compilation_error"].get<std::string>(), HasSubstr("expected ';'"));
  EXPECT_EQ(KernelGymStatus(SettledView(evaluation))["error_message"], json["error_message"]);
}

TEST(KernelGymResponseTest, EvidenceBecomesMetadata) {
  Evaluation evaluation = EvaluationOf(Outcome::kAccepted);
  evaluation.evidence = {
      {"correctness", R"({"trials":5,"passed":4,"max_difference":0.5,"avg_difference":[0.25]})"},
      {"phases", R"({"compile":12.5})"},
      {"times", "not json"}};
  TaskView view = SettledView(evaluation);
  view.task.options = {{"problem_text", R"({"backend":"torch"})"}, {"trials", "5"}};
  const Json metadata = KernelGymResult(view)["metadata"];
  EXPECT_EQ(metadata["correctness_trials"], "(4 / 5)");
  EXPECT_EQ(metadata["max_difference"], Json::array({"0.5"}));
  EXPECT_EQ(metadata["phases"]["compile"], 12.5);
  EXPECT_FALSE(metadata.contains("times"));
  EXPECT_EQ(metadata["backend"], "torch");
  EXPECT_EQ(metadata["num_correct_trials"], 5);
}

TEST(KernelGymResponseTest, TimedCallsAreCountedAsTheyWereMade) {
  Evaluation evaluation = EvaluationOf(Outcome::kAccepted);
  evaluation.evidence = {
      {"times",
       R"({"candidate":{"times_ns":[1,2,3]},"variants":[0,1,0],"speedup_interval":[1,2]})"}};
  TaskView view = SettledView(evaluation);
  view.task.options = {{"samples", "100"}};
  const Json metadata = KernelGymResult(view)["metadata"];
  EXPECT_EQ(metadata["num_perf_trials"], 3);
  EXPECT_EQ(metadata["times"]["speedup_interval"], Json::array({1, 2}));
  EXPECT_FALSE(metadata["times"].contains("candidate"));
  EXPECT_FALSE(metadata["times"].contains("variants"));
  const Json wrong = KernelGymResult(SettledView(EvaluationOf(Outcome::kWrong)))["metadata"];
  EXPECT_EQ(wrong["num_perf_trials"], 0);
}

TEST(KernelGymResponseTest, WhatWasNotProfiledIsSaidToBeAbsent) {
  const Json right = KernelGymResult(SettledView(EvaluationOf(Outcome::kAccepted)))["metadata"];
  for (const char* key :
       {"num_custom_kernels", "num_total_kernels", "custom_kernel_cuda_time_in_profiling_us",
        "total_kernel_run_time_in_profiling_us", "profiling"}) {
    ASSERT_TRUE(right.contains(key)) << key;
    EXPECT_TRUE(right[key].is_null()) << key;
  }
  EXPECT_THAT(right["profiling_error"].get<std::string>(), HasSubstr("not profiled"));
  const Json wrong = KernelGymResult(SettledView(EvaluationOf(Outcome::kWrong)))["metadata"];
  EXPECT_FALSE(wrong.contains("num_custom_kernels"));  // No reward reads it there.
}

std::string ErrorName(Outcome outcome, const std::string& what, const std::string& text,
                      const char* key) {
  Evaluation evaluation = EvaluationOf(outcome);
  evaluation.evidence = {{what, text}};
  return KernelGymResult(SettledView(evaluation))["metadata"][key].get<std::string>();
}

TEST(KernelGymResponseTest, ErrorsAreNamedByTheirExceptions) {
  EXPECT_EQ(ErrorName(Outcome::kCrashed, "exception", "AttributeError: no 'x'\n  line 3",
                      "runtime_error_name"),
            "builtins.AttributeError");
  EXPECT_EQ(ErrorName(Outcome::kCrashed, "exception", "torch.linalg.LinAlgError: singular",
                      "runtime_error_name"),
            "torch.linalg.LinAlgError");
  EXPECT_EQ(
      ErrorName(Outcome::kBuildFailed, "compiler output",
                "  File \"k.py\", line 1\nSyntaxError: invalid syntax", "compilation_error_name"),
      "builtins.SyntaxError");
  EXPECT_EQ(ErrorName(Outcome::kBuildFailed, "compiler output", "k.cc:3: error: expected ';'",
                      "compilation_error_name"),
            "compile_error");
  EXPECT_EQ(ErrorName(Outcome::kWrong, "difference", "out[3]: 1, 2", "correctness_issue_name"),
            "correctness_issue");
}

TEST(KernelGymResponseTest, ARefusedTaskOfABatchHasAllKeysAndItsReason) {
  const Json json = KernelGymRefusal("t", {Errc::kUnavailable, "no queue"}, kSubmitted);
  EXPECT_EQ(json.size(), 14);
  EXPECT_EQ(json["status"], "failed");
  EXPECT_EQ(json["error_code"], "SYSTEM_ERROR");
  EXPECT_EQ(json["error_message"], "no queue");
  EXPECT_EQ(KernelGymRefusal("t", {Errc::kConflict, ""}, kSubmitted)["error_code"],
            "VALIDATION_ERROR");
}

TEST(KernelGymResponseTest, OfTheFeedbackOnlyTheTextIsSent) {
  Evaluation evaluation = EvaluationOf(Outcome::kAccepted);
  evaluation.evidence = {
      {"feedback", R"({"bound": {"side": "memory"}, "text": "It takes 2 us."})"}};
  const Json json = KernelGymResult(SettledView(evaluation));
  EXPECT_EQ(json["metadata"]["feedback"], "It takes 2 us.");
  evaluation.evidence.clear();
  EXPECT_FALSE(KernelGymResult(SettledView(evaluation))["metadata"].contains("feedback"));
}

TEST(KernelGymResponseTest, AWaitingTaskHasAllKeysAndItsPlace) {
  TaskView view;
  view.task.id = "t";
  view.ahead = 3;
  const Json json = KernelGymResult(view);
  EXPECT_EQ(json.size(), 14);
  EXPECT_EQ(json["status"], "pending");
  EXPECT_TRUE(json["compiled"].is_null());
  EXPECT_EQ(KernelGymStatus(view)["queue_position"], 3);
  view.state = TaskState::kHeld;
  EXPECT_EQ(KernelGymStatus(view)["status"], "processing");
}

TEST(KernelGymResponseTest, A400HasTheShapeThatClientsKnow) {
  const HttpResponse response =
      KernelGymFault({{"missing", {"body", "task_id"}, "Field required"}}, kSubmitted);
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.headers,
              testing::Contains(testing::Pair("x-error-code", "VALIDATION_ERROR")));
  const Json json = *ParseJson(response.body, "body");
  EXPECT_EQ(json["error"], "RequestValidationError");
  EXPECT_EQ(json["error_code"], "VALIDATION_ERROR");
  EXPECT_TRUE(json["task_id"].is_null());
}

}  // namespace
}  // namespace hone::server
