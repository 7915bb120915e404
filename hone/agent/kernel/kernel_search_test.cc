// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/base/temp_dir.h"

namespace hone::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const KernelBrief kSumBrief{
    .problem = "sum", .statement = "add", .reference = "reference", .language = "cpp", .rules = ""};

// A model whose every answer is one better than the best that it is shown: "v<n>".
int BestIn(const std::string& text) {
  int best = 0;
  for (auto at = text.find("version "); at != text.npos; at = text.find("version ", at + 1)) {
    best = std::max(best, std::stoi(text.substr(at + 8)));
  }
  return best;
}

Result<ChatAnswer> Improve(const ChatRequest& request) {
  return TextAnswer("```cpp\nversion " + std::to_string(BestIn(request.messages.back().text) + 1) +
                    "\n```\n");
}

class KernelSearchTest : public testing::Test {
 protected:
  KernelJudging Judge() {
    return [this](const std::string& source, const std::stop_token&) -> Result<KernelVerdict> {
      const std::lock_guard lock(mutex_);
      judged_.push_back(source);
      const double speedup = 1 + 0.5 * BestIn(source);
      return KernelVerdict{.outcome = Outcome::kAccepted,
                           .speedup = Speedup{speedup, speedup - 0.1, speedup + 0.1}};
    };
  }

  Result<KernelSearchResult> Search(const KernelSearchSettings& settings,
                                    const KernelJudging& judge) {
    auto log = AgentLog::Open(folder_.path() / "log.jsonl");
    EXPECT_TRUE(log) << log.error().message;
    return SearchKernel(kSumBrief, settings, model_, judge, *log, {}, {});
  }

  TempDir folder_ = TempDir::Make("hone-kernel-search-test").value();
  ScriptedModel model_{Improve};
  std::mutex mutex_;
  std::vector<std::string> judged_;
};

TEST_F(KernelSearchTest, ALineBuildsOnItsOwnAttempts) {
  const auto result = Search({.lines = 2, .rounds = 3}, Judge());
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_THAT(result->attempts, SizeIs(6));
  EXPECT_FALSE(result->is_cut_short);
  const KernelAttempt* best = result->Best();
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->source, "version 3\n");
  EXPECT_THAT(best->parents, SizeIs(2));
  EXPECT_THAT(result->LineageOf(*best), SizeIs(3));
}

TEST_F(KernelSearchTest, ASourceThatIsKnownIsNotJudgedAgain) {
  ScriptedModel same([](const ChatRequest&) { return TextAnswer("```\nversion 1\n```"); });
  AgentLog log;
  const auto judge = Judge();
  const auto result = SearchKernel(kSumBrief, {.lines = 1, .rounds = 4}, same, judge, log, {}, {});
  ASSERT_TRUE(result);
  EXPECT_THAT(judged_, SizeIs(1));
  EXPECT_THAT(result->attempts.back().verdict.feedback, HasSubstr("the same source as attempt 0"));
}

TEST_F(KernelSearchTest, AFailureOfTheServiceIsNobodysAttempt) {
  std::atomic<int> calls = 0;
  const KernelJudging unsteady = [&](const std::string& source,
                                     const std::stop_token& stop) -> Result<KernelVerdict> {
    if (calls++ == 0) return Error{Errc::kUnavailable, "the judge is away"};
    return Judge()(source, stop);
  };
  const auto result = Search({.lines = 2, .rounds = 1}, unsteady);
  ASSERT_TRUE(result);
  EXPECT_THAT(result->attempts, SizeIs(1));
  EXPECT_THAT(result->notes, ElementsAre(HasSubstr("the judge is away")));
}

TEST_F(KernelSearchTest, WithoutASingleAttemptItIsAnError) {
  ScriptedModel away([](const ChatRequest&) -> Result<ChatAnswer> {
    return Error{Errc::kUnavailable, "no endpoint"};
  });
  AgentLog log;
  const auto result =
      SearchKernel(kSumBrief, {.lines = 2, .rounds = 9}, away, Judge(), log, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no endpoint");
  EXPECT_THAT(away.requests(), SizeIs(2));  // The next round would go the same way.
}

TEST_F(KernelSearchTest, ASpentBudgetEndsItWithWhatThereIs) {
  std::atomic<int> asked = 0;
  ScriptedModel poor([&](const ChatRequest& request) -> Result<ChatAnswer> {
    if (++asked > 2) return Error{Errc::kUnsupported, "the budget is spent"};
    return Improve(request);
  });
  AgentLog log;
  const auto result =
      SearchKernel(kSumBrief, {.lines = 1, .rounds = 9}, poor, Judge(), log, {}, {});
  ASSERT_TRUE(result);
  EXPECT_THAT(result->attempts, SizeIs(2));
  EXPECT_TRUE(result->is_cut_short);
}

TEST_F(KernelSearchTest, AnAnswerWithoutCodeIsARejectedAttempt) {
  ScriptedModel chatty([](const ChatRequest&) { return TextAnswer("Gladly!"); });
  AgentLog log;
  const auto result =
      SearchKernel(kSumBrief, {.lines = 1, .rounds = 1}, chatty, Judge(), log, {}, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->attempts[0].verdict.outcome, Outcome::kRejected);
  EXPECT_EQ(result->Best(), nullptr);
  EXPECT_THAT(judged_, SizeIs(0));
}

TEST_F(KernelSearchTest, ItGoesOnFromItsLogAndAsksForNothingTwice) {
  const auto first = Search({.lines = 2, .rounds = 2}, Judge());
  ASSERT_TRUE(first);
  const auto asked = model_.requests().size();
  const auto again = Search({.lines = 2, .rounds = 3}, Judge());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(again->attempts, SizeIs(6));
  EXPECT_EQ(model_.requests().size(), asked + 2);
  EXPECT_TRUE(std::equal(first->attempts.begin(), first->attempts.end(), again->attempts.begin()));
}

TEST_F(KernelSearchTest, AnAnswerWhoseVerdictWasLostIsJudgedNextTimeAndNotAskedForAgain) {
  const KernelJudging away = [](const std::string&, const std::stop_token&) {
    return Result<KernelVerdict>(Error{Errc::kUnavailable, "the judge is away"});
  };
  EXPECT_FALSE(Search({.lines = 2, .rounds = 1}, away));
  EXPECT_THAT(model_.requests(), SizeIs(2));
  const auto again = Search({.lines = 2, .rounds = 1}, Judge());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(again->attempts, SizeIs(2));
  EXPECT_THAT(model_.requests(), SizeIs(2));
}

TEST_F(KernelSearchTest, WhatWasAskedAndAnsweredIsInTheLogWhole) {
  ASSERT_TRUE(Search({.lines = 1, .rounds = 1}, Judge()));
  auto log = AgentLog::Read(folder_.path() / "log.jsonl");
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_TRUE(log->Next("search"));
  const auto exchange = log->Next("exchange");
  ASSERT_TRUE(exchange && *exchange);
  const Json& asked = (**exchange)["request"]["messages"];
  EXPECT_THAT(asked.back()["text"].get<std::string>(), HasSubstr("The problem:"));
  EXPECT_EQ((**exchange)["answer"]["message"]["text"], "```cpp\nversion 1\n```\n");
  EXPECT_TRUE((**exchange)["answer"]["usage"]["answer_tokens"].is_number());
  EXPECT_EQ(log->next_kind(), "attempt");
}

TEST_F(KernelSearchTest, EachLineIsAnsweredByASeedOfItsOwnAndTheSameSearchByTheSame) {
  const auto seeds_of = [&](std::uint64_t seed) {
    ScriptedModel model(Improve);
    AgentLog log;
    EXPECT_TRUE(SearchKernel(kSumBrief, {.lines = 4, .rounds = 1, .seed = seed}, model, Judge(),
                             log, {}, {}));
    std::set<std::uint64_t> seeds;
    for (const ChatRequest& request : model.requests()) seeds.insert(request.seed.value());
    return seeds;
  };
  const std::set<std::uint64_t> seeds = seeds_of(1);
  EXPECT_THAT(seeds, SizeIs(4));
  EXPECT_EQ(seeds_of(1), seeds);
  EXPECT_NE(seeds_of(2), seeds);
}

TEST_F(KernelSearchTest, TheLogOfAnotherSearchIsRefused) {
  ASSERT_TRUE(Search({.lines = 2, .rounds = 1}, Judge()));
  const auto other = Search({.lines = 3, .rounds = 1}, Judge());
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("its lines differs"));
}

TEST_F(KernelSearchTest, IslandsJoinAttemptsOfTheirNeighbours) {
  const auto result =
      Search({.mode = KernelMode::kEvolve, .lines = 3, .rounds = 4, .crossover = 1}, Judge());
  ASSERT_TRUE(result);
  std::set<std::size_t> sizes;
  for (const KernelAttempt& one : result->attempts) {
    sizes.insert(one.parents.size());
    for (const std::int64_t parent : one.parents) EXPECT_LT(parent / 3, one.round);
  }
  EXPECT_EQ(sizes, (std::set<std::size_t>{0, 2}));
  EXPECT_EQ(result->Best()->source, "version 4\n");
}

TEST_F(KernelSearchTest, OneThatIsStoppedBeforeItsFirstAttemptIsCutShortAndNoFailure) {
  std::stop_source stop;
  ScriptedModel stopped([&](const ChatRequest&) -> Result<ChatAnswer> {
    stop.request_stop();
    return Error{Errc::kUnavailable, "stopped"};
  });
  AgentLog log;
  const auto result = SearchKernel(kSumBrief, {.lines = 1, .rounds = 2}, stopped, Judge(), log, {},
                                   stop.get_token());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->attempts.empty());
  EXPECT_TRUE(result->is_cut_short);
}

}  // namespace
}  // namespace hone::agent
