// SPDX-License-Identifier: Apache-2.0
// KernelGYM's words, field by field: what is asked, and what is answered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "hone/server/kernelgym/kernelgym_request.h"
#include "hone/server/kernelgym/kernelgym_response.h"

namespace hone::server {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

const WallTime kNow{seconds{1'700'000'000}};

Json Body() {
  return {{"task_id", "t"},
          {"kernel_code", "class ModelNew: pass"},
          {"reference_code", "class Model: pass"}};
}

KernelGymRequest Read(const Json& json, std::vector<Fault>& faults) {
  return ReadKernelGymRequest(json, {"body"}, faults);
}

std::vector<Fault> KernelgymRequestFaultsOf(const Json& json) {
  std::vector<Fault> faults;
  Read(json, faults);
  return faults;
}

TEST(KernelGymRequestTest, TheDefaultsAreKernelGyms) {
  std::vector<Fault> faults;
  const auto request = Read(Body(), faults);
  EXPECT_TRUE(faults.empty()) << ToText(faults);
  EXPECT_EQ(request.workflow, "kernelbench");
  EXPECT_EQ(request.backend, "triton");
  EXPECT_EQ(request.num_correct_trials, 5);
  EXPECT_EQ(request.num_perf_trials, 100);
  EXPECT_EQ(request.num_warmup, 3);
  EXPECT_EQ(request.timeout, seconds{300});
  EXPECT_EQ(request.priority, "normal");
  EXPECT_EQ(request.entry_point, "Model");
  EXPECT_FALSE(request.force_refresh);
  EXPECT_TRUE(request.is_timed);
}

struct Wrong {
  const char* field;
  Json value;
  const char* type;
};

class WrongFieldTest : public testing::TestWithParam<Wrong> {};

TEST_P(WrongFieldTest, IsOneFaultAtItsPlace) {
  Json body = Body();
  body[GetParam().field] = GetParam().value;
  const auto faults = KernelgymRequestFaultsOf(body);
  ASSERT_EQ(faults.size(), 1) << ToText(faults);
  EXPECT_EQ(faults[0].type, GetParam().type);
  EXPECT_EQ(faults[0].place, (std::vector<std::string>{"body", GetParam().field}));
}

INSTANTIATE_TEST_SUITE_P(
    KernelGymRequest, WrongFieldTest,
    testing::Values(
        Wrong{"task_id", 7, "string_type"}, Wrong{"task_id", "", "string_too_short"},
        Wrong{"task_id", std::string(101, 'x'), "string_too_long"},
        Wrong{"task_id", "a\nb", "value_error"}, Wrong{"kernel_code", "  short  ", "value_error"},
        Wrong{"kernel_code", std::string(100'001, 'x'), "value_error"},
        Wrong{"kernel_code", nullptr, "string_type"}, Wrong{"reference_code", "x", "value_error"},
        Wrong{"reference_code", nullptr, "value_error"}, Wrong{"toolkit", "other", "value_error"},
        Wrong{"backend_adapter", "other", "value_error"}, Wrong{"backend", "opencl", "enum"},
        Wrong{"num_correct_trials", 0, "greater_than_equal"},
        Wrong{"num_correct_trials", 21, "less_than_equal"},
        Wrong{"num_perf_trials", 1001, "less_than_equal"},
        Wrong{"num_warmup", -1, "greater_than_equal"}, Wrong{"timeout", 9, "greater_than_equal"},
        Wrong{"timeout", 3601, "less_than_equal"}, Wrong{"timeout", 10.5, "int_from_float"},
        Wrong{"priority", "urgent", "enum"}, Wrong{"device_preference", 1, "string_type"},
        Wrong{"force_refresh", "perhaps", "bool_parsing"},
        Wrong{"force_refresh", nullptr, "bool_type"}, Wrong{"is_valid", nullptr, "bool_type"},
        Wrong{"entry_point", nullptr, "string_type"}, Wrong{"verbose_errors", 7, "bool_parsing"},
        Wrong{"run_correctness", Json::array(), "bool_type"}, Wrong{"cases", 7, "list_type"},
        Wrong{"workflow", "other", "value_error"}, Wrong{"resources", 7, "dict_type"},
        Wrong{"resources", {{"gpus", 0}}, "value_error"}));

TEST(KernelGymRequestTest, LaxValuesAndUnknownFieldsAreTaken) {
  Json body = Body();
  body["timeout"] = "60";
  body["num_perf_trials"] = 7.0;
  body["force_refresh"] = "yes";
  body["workflow"] = "KernelBench";
  body["detect_decoy_kernel"] = true;
  std::vector<Fault> faults;
  const auto request = Read(body, faults);
  EXPECT_TRUE(faults.empty()) << ToText(faults);
  EXPECT_EQ(request.timeout, seconds{60});
  EXPECT_EQ(request.num_perf_trials, 7);
  EXPECT_TRUE(request.force_refresh);
  EXPECT_EQ(request.workflow, "kernelbench");
}

TEST(KernelGymRequestTest, AllFaultsAreToldAtOnce) {
  EXPECT_EQ(KernelgymRequestFaultsOf({{"timeout", 1}, {"backend", "x"}}).size(), 5);
  EXPECT_EQ(KernelgymRequestFaultsOf(Json::array())[0].type, "model_attributes_type");
}

TEST(KernelGymRequestTest, RunPerformanceWinsOverMeasurePerformance) {
  Json body = Body();
  body["measure_performance"] = true;
  body["run_performance"] = false;
  std::vector<Fault> faults;
  EXPECT_FALSE(Read(body, faults).is_timed);
}

TEST(KernelGymRequestTest, TheReferenceCacheNeedsAUuid) {
  Json body = Body();
  body["use_reference_cache"] = true;
  EXPECT_EQ(KernelgymRequestFaultsOf(body).size(), 1);
  body["uuid"] = "u";
  EXPECT_TRUE(KernelgymRequestFaultsOf(body).empty());
}

TEST(KernelGymRequestTest, ABatchHasOneToAHundredTasks) {
  std::vector<Fault> faults;
  ReadKernelGymBatch({{"batch_id", "b"}, {"tasks", Json::array()}}, faults);
  EXPECT_EQ(faults.at(0).type, "too_short");
  faults.clear();
  ReadKernelGymBatch({{"batch_id", "b"}, {"tasks", Json::array({Body(), 7})}}, faults);
  ASSERT_EQ(faults.size(), 1);
  EXPECT_EQ(faults[0].place, (std::vector<std::string>{"body", "tasks", "1"}));
}

TEST(KernelGymRequestTest, AWorkflowsIdMayStandInItsPayload) {
  std::vector<Fault> faults;
  EXPECT_EQ(ReadKernelGymWorkflow({{"payload", Body()}}, faults).task_id, "t");
  EXPECT_EQ(ReadKernelGymWorkflow({{"payload", Body()}, {"task_id", "u"}}, faults).task_id, "u");
  EXPECT_TRUE(faults.empty()) << ToText(faults);
  ReadKernelGymWorkflow(Json::object(), faults);
  EXPECT_FALSE(faults.empty());
}

TEST(KernelGymRequestTest, BecomesATaskOfTheComputeDomain) {
  Json body = Body();
  body["priority"] = "high";
  body["num_correct_trials"] = 2;
  std::vector<Fault> faults;
  const Task task = TaskOf(Read(body, faults), kNow, seconds{100}, 42);
  EXPECT_EQ(task.id, "t");
  EXPECT_EQ(task.domain, "compute");
  EXPECT_EQ(task.candidate.source, "class ModelNew: pass");
  EXPECT_EQ(task.options.at("trials"), "2");
  EXPECT_EQ(task.seed, 42);
  EXPECT_EQ(task.run_timeout, seconds{300});
  EXPECT_EQ(task.deadline, kNow + seconds{400});
  EXPECT_GT(task.priority, 0);
  EXPECT_EQ(task.needs.names, (std::set<std::string>{"gpu", "triton"}));
  const Json problem = *ParseJson(task.options.at("problem_text"), "problem");
  EXPECT_EQ(problem["reference"], "class Model: pass");
  EXPECT_EQ(problem["backend"], "triton");
  EXPECT_EQ(problem["workflow"], "kernelbench");
  EXPECT_EQ(problem["entry_point"], "Model");
}

TEST(KernelGymRequestTest, EachBackendNeedsItsKindOfWorker) {
  EXPECT_EQ(NeedsOf("cpp").names, (std::set<std::string>{"cpp"}));
  EXPECT_EQ(NeedsOf("torch").names, (std::set<std::string>{"torch"}));
  EXPECT_EQ(NeedsOf("cuda").names, (std::set<std::string>{"gpu", "cuda"}));
}

TaskStatus Settled(std::variant<Evaluation, Settlement::Drop> end) {
  TaskStatus standing;
  standing.view.task.id = "t";
  standing.view.state = TaskState::kSettled;
  standing.view.pushed = kNow;
  standing.view.taken = kNow + seconds{1};
  standing.view.settled = kNow + seconds{3};
  standing.settlement = std::make_shared<const Settlement>(Settlement{std::move(end)});
  return standing;
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
  const Json json = KernelGymResult(Settled(EvaluationOf(GetParam().outcome)));
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
  const Json late = KernelGymResult(Settled(Settlement::Drop{Dropped::kExpired, "late"}));
  EXPECT_EQ(late["error_code"], "TIMEOUT_ERROR");
  for (const Dropped why : {Dropped::kCancelled, Dropped::kAbandoned}) {
    const Json json = KernelGymResult(Settled(Settlement::Drop{why, "no luck"}));
    EXPECT_EQ(json["status"], "failed");
    EXPECT_EQ(json["error_code"], "SYSTEM_ERROR");
    EXPECT_EQ(json["error_message"], "the kernel was not judged: no luck");
  }
}

TEST(KernelGymResponseTest, TheFullCompilerErrorReachesTheModel) {
  Evaluation evaluation = EvaluationOf(Outcome::kBuildFailed);
  evaluation.evidence = {{"compiler output", "k.cc:3: error: expected ';'"}};
  const Json json = KernelGymResult(Settled(evaluation));
  EXPECT_THAT(json["error_message"].get<std::string>(), HasSubstr("expected ';'"));
  EXPECT_THAT(json["metadata"]["compilation_error"].get<std::string>(), HasSubstr("expected ';'"));
  EXPECT_EQ(KernelGymStatus(Settled(evaluation))["error_message"], json["error_message"]);
}

TEST(KernelGymResponseTest, EvidenceBecomesMetadata) {
  Evaluation evaluation = EvaluationOf(Outcome::kAccepted);
  evaluation.evidence = {
      {"correctness", R"({"trials":5,"passed":4,"max_difference":0.5,"avg_difference":[0.25]})"},
      {"phases", R"({"compile":12.5})"},
      {"times", "not json"}};
  TaskStatus standing = Settled(evaluation);
  standing.view.task.options = {{"problem_text", R"({"backend":"torch"})"}, {"trials", "5"}};
  const Json metadata = KernelGymResult(standing)["metadata"];
  EXPECT_EQ(metadata["correctness_trials"], "(4 / 5)");
  EXPECT_EQ(metadata["max_difference"], Json::array({"0.5"}));
  EXPECT_EQ(metadata["phases"]["compile"], 12.5);
  EXPECT_FALSE(metadata.contains("times"));
  EXPECT_EQ(metadata["backend"], "torch");
  EXPECT_EQ(metadata["num_correct_trials"], 5);
}

TEST(KernelGymResponseTest, AWaitingTaskHasAllKeysAndItsPlace) {
  TaskStatus standing;
  standing.view.task.id = "t";
  standing.view.ahead = 3;
  const Json json = KernelGymResult(standing);
  EXPECT_EQ(json.size(), 14);
  EXPECT_EQ(json["status"], "pending");
  EXPECT_TRUE(json["compiled"].is_null());
  EXPECT_EQ(KernelGymStatus(standing)["queue_position"], 3);
  standing.view.state = TaskState::kHeld;
  EXPECT_EQ(KernelGymStatus(standing)["status"], "processing");
}

TEST(KernelGymResponseTest, ValidationSaysWhichClassIsMissing) {
  Json body = Body();
  body["kernel_code"] = "class Other: pass";
  std::vector<Fault> faults;
  const Json json = KernelGymValidation(Read(body, faults));
  EXPECT_FALSE(json["valid"].get<bool>());
  EXPECT_TRUE(json["reference"]["valid"].get<bool>());
  EXPECT_THAT(json["errors"][0].get<std::string>(), HasSubstr("ModelNew"));
}

TEST(KernelGymResponseTest, A400HasTheShapeThatClientsKnow) {
  const HttpResponse response =
      KernelGymFault({{"missing", {"body", "task_id"}, "Field required"}}, kNow);
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
