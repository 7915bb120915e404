// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

KernelAttempt Accepted(std::int64_t number, const std::string& source, double speedup) {
  return {.number = number,
          .source = source,
          .verdict = {.speedup = Speedup{speedup, speedup - 0.1, speedup + 0.1}}};
}

class KernelProofTest : public testing::Test {
 protected:
  // Says "wrong" of some sources, and that the others are a little faster.
  KernelJudging JudgeThatRefuses(std::vector<std::string> wrong) {
    return [this, wrong = std::move(wrong)](const std::string& source,
                                            const std::stop_token&) -> Result<KernelVerdict> {
      judged_.push_back(source);
      const bool is_wrong = std::find(wrong.begin(), wrong.end(), source) != wrong.end();
      if (is_wrong) return KernelVerdict{.outcome = Outcome::kWrong, .feedback = "element 7"};
      return KernelVerdict{.speedup = Speedup{1.2, 1.1, 1.3}};
    };
  }

  KernelSearchResult search_{.attempts = {Accepted(0, "a", 1.5), Accepted(1, "b", 3),
                                          Accepted(2, "b", 2.9), Accepted(3, "c", 2),
                                          Accepted(4, "d", 1.2)}};
  std::vector<std::string> judged_;
};

TEST_F(KernelProofTest, OnlyFreshRunsProveAWinner) {
  const KernelJudging sober = [](const std::string&, const std::stop_token&) {
    return KernelVerdict{.speedup = Speedup{1.02, 0.97, 1.07}};
  };
  const KernelProof proof = ProveBest(search_, sober, {});
  ASSERT_TRUE(proof.winner && proof.fresh);
  EXPECT_EQ(proof.winner->number, 1);
  EXPECT_GT(proof.winner->Worth(), 1);
  EXPECT_FALSE(proof.IsGain());
  EXPECT_FALSE(ProveBest({}, sober, {}).winner);
}

TEST_F(KernelProofTest, WhereTheBestFallsTheNextBestOfAnotherSourceIsTried) {
  const KernelProof proof = ProveBest(search_, JudgeThatRefuses({"b"}), {});
  ASSERT_TRUE(proof.winner && proof.fresh);
  EXPECT_EQ(proof.winner->number, 3);
  EXPECT_TRUE(proof.IsGain());
  ASSERT_THAT(proof.fallen, SizeIs(1));
  EXPECT_EQ(proof.fallen[0].attempt.number, 1);
  EXPECT_EQ(proof.fallen[0].fresh.feedback, "element 7");
  EXPECT_THAT(judged_, ElementsAre("b", "c"));
}

TEST_F(KernelProofTest, AProofIsALineOfTheLog) {
  const Json proven = ToJson(ProveBest(search_, JudgeThatRefuses({"b"}), {}));
  EXPECT_EQ(proven["winner"]["number"], 3);
  EXPECT_EQ(proven["winner"]["speedup"], Json({1.2, 1.1, 1.3}));
  EXPECT_EQ(proven["fallen"][0]["number"], 1);
  EXPECT_EQ(proven["fallen"][0]["outcome"], "wrong");
  EXPECT_TRUE(ToJson(ProveBest({}, JudgeThatRefuses({}), {}))["winner"].is_null());
}

TEST_F(KernelProofTest, WhereManyFallThereIsNoWinner) {
  const KernelProof proof = ProveBest(search_, JudgeThatRefuses({"a", "b", "c", "d"}), {});
  EXPECT_FALSE(proof.winner);
  EXPECT_THAT(proof.fallen, SizeIs(kMaxProofs));
  EXPECT_THAT(judged_, SizeIs(kMaxProofs));
}

TEST_F(KernelProofTest, AJudgeThatIsStoppedLeavesTheBestWithoutAProof) {
  const KernelJudging stopped = [](const std::string&,
                                   const std::stop_token&) -> Result<KernelVerdict> {
    return Error{Errc::kUnavailable, "stopped before the verdict"};
  };
  const KernelProof proof = ProveBest(search_, stopped, {});
  ASSERT_TRUE(proof.winner);
  EXPECT_EQ(proof.winner->number, 1);
  EXPECT_FALSE(proof.fresh);
  EXPECT_FALSE(proof.IsGain());
  EXPECT_EQ(proof.why_not, "stopped before the verdict");
}

}  // namespace
}  // namespace hone::agent
