// SPDX-License-Identifier: Apache-2.0
// Every folder of data/problems/: it can be read, and its reference is accepted as a candidate.
#include <gtest/gtest.h>

#include "hone/domains/compute/judged_for_test.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

class ProblemsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ProblemsTest, ReferenceIsAcceptedAndTheProblemIsNotDegenerate) {
  const auto problem = FindProblem(GetParam());
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->name, GetParam());
  EXPECT_NE(problem->summary, "");
  EXPECT_GE(problem->shapes.size(), 3U);
  EXPECT_NE(problem->bytes.text(), "");
  JudgeOrder order{GetParam(), problem->reference};
  order.options = {{"timing_budget_ms", "50"}};
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_EQ(TextOf(result, "problem"), "");
}

INSTANTIATE_TEST_SUITE_P(Data, ProblemsTest, ::testing::ValuesIn(ProblemNames()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hone::compute
