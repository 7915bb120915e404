// SPDX-License-Identifier: Apache-2.0
#include "hone/server/kernelgym/kernelgym_request.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace hone::server {
namespace {

using std::chrono::seconds;

const WallTime kNow{seconds{1'700'000'000}};

Json Body() {
  return {{"task_id", "t"},
          {"kernel_code", "class ModelNew: pass"},
          {"reference_code", "class Model: pass"}};
}

KernelGymRequest Read(const Json& json, std::vector<Fault>& faults) {
  return ReadKernelGymRequest(json, {"body"}, faults);
}

std::vector<Fault> FaultsOf(const Json& json) {
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
  const auto faults = FaultsOf(body);
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
        Wrong{"tolerance", "large", "enum"}));

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
  EXPECT_EQ(FaultsOf({{"timeout", 1}, {"backend", "x"}}).size(), 5);
  EXPECT_EQ(FaultsOf(Json::array())[0].type, "model_attributes_type");
}

TEST(KernelGymRequestTest, RunPerformanceWinsOverMeasurePerformance) {
  Json body = Body();
  body["measure_performance"] = true;
  body["run_performance"] = false;
  std::vector<Fault> faults;
  EXPECT_FALSE(Read(body, faults).is_timed);
}

Json ProblemIn(const Json& body) {
  std::vector<Fault> faults;
  const Task task = TaskOf(Read(body, faults), kNow, seconds{100}, 42);
  EXPECT_TRUE(faults.empty()) << ToText(faults);
  return *ParseJson(task.options.at("problem_text"), "problem");
}

TEST(KernelGymRequestTest, WithoutAReferenceTheClassIsTheKernelsOwn) {
  Json body = Body();
  body["workflow"] = "kernel_simple";
  body["entry_point"] = "Model";
  EXPECT_EQ(ProblemIn(body)["entry_point"], "ModelNew");
  body["entry_point"] = "Other";
  EXPECT_EQ(ProblemIn(body)["entry_point"], "Other");
  body["entry_point"] = "Model";
  body["kernel_code"] = "class Model: pass";
  EXPECT_EQ(ProblemIn(body)["entry_point"], "Model");
}

TEST(KernelGymRequestTest, InCppTheEntryPointIsNoClass) {
  Json body = Body();
  body["backend"] = "cpp";
  EXPECT_FALSE(ProblemIn(body).contains("entry_point"));
  body["entry_point"] = "scale";
  EXPECT_EQ(ProblemIn(body)["entry_point"], "scale");
}

TEST(KernelGymRequestTest, TheToleranceOfKernelGymCanBeAskedFor) {
  Json body = Body();
  EXPECT_FALSE(ProblemIn(body).contains("tolerance"));
  body["tolerance"] = "kernelgym";
  EXPECT_EQ(ProblemIn(body)["tolerance"], (Json{{"rtol", 1e-2}, {"atol", 1e-2}}));
  body["problem"] = "saxpy";
  EXPECT_EQ(FaultsOf(body).size(), 1);
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

}  // namespace
}  // namespace hone::server
