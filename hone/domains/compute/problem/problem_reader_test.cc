// SPDX-License-Identifier: Apache-2.0
// Every folder of data/problems/: it can be read, and its reference is accepted as a candidate.
#include <gtest/gtest.h>

#include <cstdlib>

#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/gpu/cuda_backend.h"
#include "hone/domains/compute/gpu/known_answers_for_test.h"
#include "hone/domains/compute/judged_for_test.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

void ExpectComplete(const Problem& problem, const std::string& name) {
  EXPECT_EQ(problem.name, name);
  EXPECT_NE(problem.summary, "");
  EXPECT_GE(problem.shapes.size(), 3U);
  EXPECT_NE(problem.bytes.text(), "");
}

void ExpectAccepted(const JudgeOrder& order) {
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_EQ(TextOf(result, "problem"), "");
}

class ProblemsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ProblemsTest, ReferenceIsAcceptedAndTheProblemIsNotDegenerate) {
  const auto problem = FindProblem(GetParam());
  ASSERT_TRUE(problem) << problem.error().message;
  ExpectComplete(*problem, GetParam());
  ExpectAccepted({GetParam(), problem->reference, {{"timing_budget_ms", "50"}}});
}

INSTANTIATE_TEST_SUITE_P(Data, ProblemsTest, ::testing::ValuesIn(ProblemNames("cpp")),
                         [](const auto& test) { return test.param; });

const bool kGpuIsSimulated = ::setenv("HONE_CUDA", HONE_SIMULATED_GPU, 1) == 0;

// On the simulated GPU, and so without the large shape that is timed.
class GpuProblemsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GpuProblemsTest, ReferenceIsAcceptedAndTheProblemIsNotDegenerate) {
  const auto problem = FindProblem(GetParam());
  ASSERT_TRUE(problem) << problem.error().message;
  ExpectComplete(*problem, GetParam());
  Json text = ParseJson(problem->text, "problem").value();
  text["shapes"].erase(0);
  ExpectAccepted({"", problem->reference, {{"problem_text", Dump(text)}, {"samples", "0"}}});
}

TEST_P(GpuProblemsTest, ReferenceGivesWhatIsComputedWithoutIt) {
  const Problem problem = FindProblem(GetParam()).value();
  const TempDir cache = TempDir::Make("hone-problems-test").value();
  const auto backend = CudaBackendEntry().make(cache.path()).value();
  const auto check = CheckReference(*backend, problem, 1);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->fault, "");
  EXPECT_GE(check->calls, problem.shapes.size() - 1);
}

TEST_P(GpuProblemsTest, ItsTrapsAreSaid) { EXPECT_FALSE(FindProblem(GetParam())->traps.empty()); }

INSTANTIATE_TEST_SUITE_P(Data, GpuProblemsTest, ::testing::ValuesIn(ProblemNames("cuda")),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hone::compute
