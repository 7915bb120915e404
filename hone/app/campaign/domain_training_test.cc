// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/domain_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/testing/fake_domain.h"

namespace hone::app {
namespace {

using testing::HasSubstr;

class DomainTrainingTest : public testing::Test {
 protected:
  // A tuner at work on this host is none of these tests' business.
  DomainTrainingTest() { ::setenv("HONE_STATE", folder_->path().c_str(), 1); }

  Result<std::unique_ptr<DomainTraining>> Make(const std::string& target, const Options& options,
                                               const std::stop_token& abandon = {}) {
    TuneRequest request;
    request.target = target;
    request.options = options;
    auto plan = MakeTargetPlan(request, builtins_);
    if (!plan) return plan.error();
    return MakeDomainTraining(std::move(*plan), builtins_, SystemClock(), abandon);
  }

  const Builtins builtins_ = MakeBuiltins();
  const Result<TempDir> folder_ = TempDir::Make();
};

// The rewards of an episode in which every action is `unit`.
std::vector<double> RewardsOf(env::Environment& environment, double unit) {
  EXPECT_TRUE(environment.Reset(7));
  const std::vector<double> action(environment.Facts().action_size, unit);
  std::vector<double> rewards;
  for (int i = 0; i < 5; ++i) {
    const auto transition = environment.Step(action);
    EXPECT_TRUE(transition) << transition.error().message;
    if (transition) rewards.push_back(transition->reward);
  }
  return rewards;
}

TEST_F(DomainTrainingTest, StepsOfADomainAreMeasuredAgainstItsBaseline) {
  const auto training = Make("toy", {{"noise", "0"}, {"gain", "0.5"}});
  ASSERT_TRUE(training) << training.error().message;
  const auto environment = (*training)->MakeEnvironment();
  ASSERT_TRUE(environment) << environment.error().message;
  EXPECT_NE(RewardsOf(**environment, 0.5), RewardsOf(**environment, 0.1));
  EXPECT_EQ((*training)->Close(), "");  // It changed nothing that would have to go back.
}

// A worker touches its host only for an owner whom it serves.
TEST_F(DomainTrainingTest, ADomainThatReadsAndChangesTheHostIsTrainedOn) {
  FakeScript script;
  script.changes_host = true;
  script.reads_host = true;
  auto space = Space::Make({{.name = "size",
                             .kind = IntegerRange{1, 8},
                             .default_value = std::int64_t{2},
                             .unit = "",
                             .description = "",
                             .specials = {},
                             .condition = {}}});
  ASSERT_TRUE(space) << space.error().message;
  script.space = *std::move(space);
  Builtins builtins = MakeBuiltins();
  builtins.domains.merge(FakeDomainTable(script));
  TuneRequest request;
  request.target = "fake";
  auto plan = MakeTargetPlan(request, builtins);
  ASSERT_TRUE(plan) << plan.error().message;
  const auto training = MakeDomainTraining(std::move(*plan), builtins, SystemClock(), {});
  ASSERT_TRUE(training) << training.error().message;
  const auto environment = (*training)->MakeEnvironment();
  ASSERT_TRUE(environment) << environment.error().message;
  EXPECT_THAT(RewardsOf(**environment, 0.5), testing::SizeIs(5));
}

TEST_F(DomainTrainingTest, TheSameSeedAndActionsGiveTheSameRewards) {
  const auto training = Make("toy", {{"noise", "0.05"}});
  ASSERT_TRUE(training) << training.error().message;
  const auto one = (*training)->MakeEnvironment();
  const auto other = (*training)->MakeEnvironment();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(RewardsOf(**one, 0.3), RewardsOf(**other, 0.3));
}

TEST_F(DomainTrainingTest, SeveralStepInTurn) {
  const auto training = Make("toy", {});
  ASSERT_TRUE(training) << training.error().message;
  const auto environments = (*training)->MakeEnvironments(3);
  ASSERT_TRUE(environments) << environments.error().message;
  ASSERT_TRUE((*environments)->Reset(1));
  const auto step =
      (*environments)->Step(std::vector<double>(3 * (*environments)->Facts().action_size, 0.5));
  ASSERT_TRUE(step) << step.error().message;
  EXPECT_EQ(step->transitions.size(), 3U);
}

TEST_F(DomainTrainingTest, AnAbandonedTrainingEndsItsSteps) {
  std::stop_source abandon;
  const auto training = Make("toy", {}, abandon.get_token());
  ASSERT_TRUE(training) << training.error().message;
  const auto environment = (*training)->MakeEnvironment();
  ASSERT_TRUE(environment && (*environment)->Reset(1));
  abandon.request_stop();
  const auto step =
      (*environment)->Step(std::vector<double>((*environment)->Facts().action_size, 0.5));
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Errc::kUnavailable);
  EXPECT_THAT(step.error().message, HasSubstr("interrupted"));
}

TEST_F(DomainTrainingTest, ADomainWithoutParametersIsRefused) {
  const auto training = Make("compute", {{"problem", "softmax"}});
  ASSERT_FALSE(training);
  EXPECT_EQ(training.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(training.error().message, HasSubstr("domain compute: it has no parameters"));
}

}  // namespace
}  // namespace hone::app
