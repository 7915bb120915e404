// SPDX-License-Identifier: Apache-2.0
// The exam itself is examined: each question catches a proposer that is broken in its way.
#include "hone/tune/proposers/proposer_exam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "hone/tune/proposers/random_search.h"

namespace hone::tune {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Random search with one answer spoilt.
class Broken : public Proposer {
 public:
  explicit Broken(const ProposerSettings& settings)
      : settings_(settings), honest_(*MakeRandomSearch(settings)) {}

  Result<Candidate> Ask() override { return honest_->Ask(); }
  Result<void> Tell(const Trial& trial) override { return honest_->Tell(trial); }
  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    return honest_->Recommend(max);
  }
  std::optional<double> ExpectedRemainingGain() override { return std::nullopt; }

 protected:
  ProposerSettings settings_;
  std::unique_ptr<Proposer> honest_;
};

template <typename T>
ProposerEntry EntryOf() {
  return {.name = "broken", .summary = "", .make = [](const ProposerSettings& settings) {
            return Result<std::unique_ptr<Proposer>>(std::make_unique<T>(settings));
          }};
}

struct Invalid final : Broken {
  using Broken::Broken;
  Result<Candidate> Ask() override {
    Candidate candidate = *honest_->Ask();
    candidate.assignment.erase(candidate.assignment.begin());
    return candidate;
  }
};

struct Moody final : Broken {
  using Broken::Broken;
  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    (void)honest_->Ask();
    return honest_->Recommend(max);
  }
};

struct Stubborn final : Broken {
  using Broken::Broken;
  Result<Candidate> Ask() override {
    Candidate candidate = settings_.baseline;
    candidate.assignment =
        settings_.space.FromUnit(std::vector<double>(settings_.space.UnitSize(), 0.7));
    return candidate;
  }
};

// Recommends every candidate that it was told of, whatever became of it, best observation first.
struct Gullible final : Broken {
  using Broken::Broken;
  Result<void> Tell(const Trial& trial) override {
    told.push_back({.candidate = trial.candidate, .reward = trial.reward});
    return {};
  }
  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    auto best = told;
    best.resize(std::min(best.size(), max));
    return best;
  }
  std::vector<Recommendation> told;
};

struct Unbounded final : Broken {
  using Broken::Broken;
  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    auto best = *honest_->Recommend(max);
    for (auto& each : best) each.reward.mean = std::numeric_limits<double>::infinity();
    return best;
  }
};

// Hands the same point out as a whole front.
struct Greedy final : Broken {
  using Broken::Broken;
  Result<std::vector<Recommendation>> Recommend(std::size_t max) override {
    return honest_->Recommend(std::min<std::size_t>(max, 1));
  }
};

TEST(ProposerExamTest, AnInvalidCandidateIsNoticed) {
  EXPECT_THAT(ExamineValidity(EntryOf<Invalid>()), Contains(HasSubstr("invalid candidate")));
}

TEST(ProposerExamTest, AQuestionThatChangesAnswersIsNoticed) {
  EXPECT_THAT(ExamineRepeatability(EntryOf<Moody>()), Contains(HasSubstr("changed later")));
}

TEST(ProposerExamTest, ASeedThatIsIgnoredIsNoticed) {
  EXPECT_THAT(ExamineSeeds(EntryOf<Stubborn>()), Contains(HasSubstr("two seeds")));
}

TEST(ProposerExamTest, RepeatedAsksAreNoticed) {
  EXPECT_THAT(ExaminePendingAsks(EntryOf<Stubborn>()), Contains(HasSubstr("repeat")));
  EXPECT_THAT(ExamineTinySpace(EntryOf<Stubborn>()), Contains(HasSubstr("tiny space")));
}

TEST(ProposerExamTest, RecommendingWhatFailedIsNoticed) {
  EXPECT_THAT(ExamineFailures(EntryOf<Gullible>()), Contains(HasSubstr("failed candidate")));
  EXPECT_THAT(ExamineFailures(EntryOf<Gullible>()), Contains(HasSubstr("nothing was accepted")));
}

TEST(ProposerExamTest, CountingATrialTwiceIsNoticed) {
  EXPECT_THAT(ExamineReplacement(EntryOf<Gullible>()), Contains(HasSubstr("still counts")));
}

TEST(ProposerExamTest, RecommendingLossesIsNoticed) {
  EXPECT_THAT(ExamineModesty(EntryOf<Gullible>()), Contains(HasSubstr("clearly worse")));
}

TEST(ProposerExamTest, BeliefsThatAreNotFiniteAreNoticed) {
  EXPECT_THAT(ExamineRecommendations(EntryOf<Unbounded>()), Contains(HasSubstr("not finite")));
}

TEST(ProposerExamTest, SwallowingNonsenseIsNoticed) {
  EXPECT_THAT(ExamineBadTrials(EntryOf<Gullible>()), Contains(HasSubstr("without sense")));
}

TEST(ProposerExamTest, ABeatenOrLonelyFrontIsNoticed) {
  EXPECT_THAT(ExamineFront(EntryOf<Gullible>()), Contains(HasSubstr("clearly beaten")));
  EXPECT_THAT(ExamineFront(EntryOf<Greedy>()), Contains(HasSubstr("no front")));
}

}  // namespace
}  // namespace hone::tune
