// SPDX-License-Identifier: Apache-2.0
#include "hone/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "hone/tune/campaign/counter_changes.h"
#include "hone/tune/campaign/history_for_test.h"

namespace hone::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Whether every element that is opened is closed in its turn; void elements aside.
testing::AssertionResult IsBalanced(const std::string& page) {
  std::vector<std::string> open;
  const std::size_t style_end = page.find("</style>");
  for (std::size_t at = page.find('<', page.find("<html")); at != std::string::npos;
       at = page.find('<', at + 1)) {
    if (at > page.find("<style>") && at < style_end) continue;
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return testing::AssertionFailure() << "an open tag at " << at;
    const std::string tag = page.substr(at + 1, end - at - 1);
    if (tag.back() == '/' || tag.starts_with("meta")) continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else if (open.empty() || open.back() != tag.substr(1)) {
      return testing::AssertionFailure() << tag << " closes " << (open.empty() ? "" : open.back());
    } else {
      open.pop_back();
    }
  }
  if (!open.empty()) return testing::AssertionFailure() << open.back() << " stays open";
  return testing::AssertionSuccess();
}

// What must hold of every page.
void ExpectSound(const std::string& page) {
  EXPECT_TRUE(IsBalanced(page));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http:")));
  EXPECT_THAT(page, Not(HasSubstr("https:")));
  EXPECT_THAT(page, Not(HasSubstr("@import")));
  EXPECT_THAT(page, Not(HasSubstr("=\"nan")));
  EXPECT_THAT(page, Not(HasSubstr("=\"inf")));
  EXPECT_THAT(page, Not(HasSubstr("=\"-inf")));
  EXPECT_LT(page.size(), 2'000'000U);
}

TEST(ReportTest, GainIsSaidWithIntervalChanceAndCount) {
  const tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  const std::string page = RenderReport(history);
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>A gain of "), HasSubstr("95 % interval"),
                          HasSubstr("p = 0.00049"), HasSubstr("12 pairs"), HasSubstr("ops/s")));
  EXPECT_THAT(page, AllOf(HasSubstr("What to change"), HasSubstr("threads"),
                          HasSubstr("class=\"forest\""), HasSubstr("signal 11"),
                          HasSubstr("Imaginary 9000"), HasSubstr("hone replay toy-7"),
                          HasSubstr("4 of 5 candidates ran (80 %): 1 crashed.")));
}

TEST(ReportTest, WhatMovedWithTheGainIsToldWithItsReasons) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  EXPECT_THAT(RenderReport(history), Not(HasSubstr("What moved with it")));
  for (tune::HistoryBlock& block : history.blocks) {
    for (Sample& sample : block.evaluation.samples) {
      sample.observations["context_switches"] = sample.arm == Arm::kCandidate ? 600 : 1000;
    }
  }
  history.campaign.start.machine[tune::kNotCountedFact] = "cycles: <none>";
  const std::string page = RenderReport(history);
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("What moved with it"), HasSubstr("-40.0 %"),
                          HasSubstr("tasks were switched less often"),
                          HasSubstr("Not counted: cycles: &lt;none&gt;.")));
}

TEST(ReportTest, LowerIsBetterIsSaidAsLower) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.campaign.start.spec.rule.objectives[0].direction = Direction::kLowerIsBetter;
  history.campaign.verdict->proof->objectives[0].test.effect = std::log(1.25);
  EXPECT_THAT(RenderReport(history), AllOf(HasSubstr("throughput is 20.0\u00A0% lower than"),
                                           HasSubstr("a gain of 25.0\u00A0% in the ratio")));
}

TEST(ReportTest, NoGainIsAnAnswerThatSaysWhatWouldHaveBeenFound) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, -0.02);
  tune::Verdict verdict;
  verdict.reason = "No candidate is believed to beat the baseline by enough to matter.";
  verdict.detectable = std::log(1.03);
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page,
              AllOf(HasSubstr("<h1>No gain</h1>"), HasSubstr(verdict.reason),
                    HasSubstr("better by 3.0\u00A0% or more"), Not(HasSubstr("What to change"))));
}

TEST(ReportTest, WinnerThatFailedItsProofIsShownWithItsReason) {
  tune::HistoryBuilder builder;
  builder.AddTrial(0, 0.1);
  tune::Verdict verdict;
  verdict.proof = tune::Proof{};
  verdict.proof->candidate = tune::HistoryBuilder::CandidateWith(2);
  verdict.proof->failure = "crashed: signal 6";
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("crashed: signal 6"), HasSubstr("What was put to the proof"),
                          Not(HasSubstr("n = 0"))));
}

TEST(ReportTest, UnfinishedCampaignMakesNoClaim) {
  tune::HistoryBuilder builder;
  builder.AddBlock("gate", builder.history().campaign.start.baseline, 0, 10);
  builder.AddTrial(0, 0.05);
  builder.AddBlock("proof/0", tune::HistoryBuilder::CandidateWith(2), 0.05, 6);
  builder.history().campaign.last_error = "the disk is full";
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>No verdict yet</h1>"), HasSubstr("the disk is full"),
                          HasSubstr("Being proven: "), HasSubstr("hone resume toy-7"),
                          Not(HasSubstr("gain over the baseline</span>"))));
}

TEST(ReportTest, CampaignOfWhichNothingIsStoredYetRenders) {
  const std::string page = RenderReport(tune::HistoryBuilder().history());
  ExpectSound(page);
  EXPECT_THAT(page, HasSubstr("No candidate was tried."));
}

TEST(ReportTest, FrontShowsEveryPointWithItsIntervals) {
  tune::HistoryBuilder builder(/*has_latency=*/true);
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kFront;
  verdict.reason = "These points beat the baseline in at least one objective.";
  for (const int i : {0, 1, 2}) {
    const Candidate candidate = tune::HistoryBuilder::CandidateWith(10 + i);
    builder.AddBlock("front/" + std::to_string(i) + "/0", candidate, 0.05 * (i + 1), 12);
    verdict.front.push_back(builder.ProofFrom(tune::BlockPhase::kFront, candidate));
    verdict.front.back().is_gain = i != 2;
  }
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("A trade-off: 2 points beat the baseline"),
                          HasSubstr("threads=12"), HasSubstr("not shown to beat it")));
  // As the terminal says it: a latency that rises is a plus, although it is no gain.
  EXPECT_THAT(page, HasSubstr("latency: <b>+"));
}

TEST(ReportTest, EveryPointOfAFrontShowsItsLimits) {
  tune::HistoryBuilder builder(/*has_latency=*/true);
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kFront;
  verdict.front.resize(2);
  verdict.front[0].is_gain = true;
  const Limit limit{"p99<ms>", true, 20, false};
  verdict.front[0].limits.push_back({limit, {0.29, {0.28, 0.3}, 0.001, 12}, true});
  verdict.front[1].limits.push_back({limit, {-0.1, {-0.2, 0.1}, 0.4, 12}, false});
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("beats the baseline<div>p99&lt;ms&gt; &lt;= 20: holds, "
                                    "+29.0\u00A0% to spare (+28.0\u00A0% to +30.0\u00A0%)"),
                          HasSubstr("not shown to beat it within the limits<div>"),
                          HasSubstr("not shown to hold</span>, −10.0\u00A0% to spare")));
}

TEST(ReportTest, FrontPointWithoutObjectivesRenders) {
  tune::HistoryBuilder builder(/*has_latency=*/true);
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kFront;
  verdict.front.push_back({});
  builder.Finish(verdict);
  ExpectSound(RenderReport(builder.history()));
}

tune::CampaignHistory ComparisonOf(const std::string& reason, double gain) {
  tune::HistoryBuilder builder;
  const Candidate b = tune::HistoryBuilder::CandidateWith(8);
  builder.history().campaign.start.spec.comparison = {"now", "b<1>.conf", b};
  builder.AddBlock("gate", builder.history().campaign.start.baseline, 0, 10);
  builder.AddBlock("proof/0", b, gain, 12);
  tune::Verdict verdict;
  verdict.kind = gain > 0 ? tune::Verdict::Kind::kGain : tune::Verdict::Kind::kNoGain;
  verdict.reason = reason;
  verdict.proof = builder.ProofFrom(tune::BlockPhase::kProof, b);
  verdict.detectable = std::log(1.03);
  builder.Finish(verdict);
  return builder.history();
}

TEST(ReportTest, AComparisonSaysHowTheTwoCompareAndNothingOfASearch) {
  const std::string page = RenderReport(ComparisonOf("b<1>.conf is worse than now.", -0.1));
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>b&lt;1&gt;.conf is worse than now</h1>"),
                          HasSubstr(" lower with b&lt;1&gt;.conf than with now (medians: "),
                          HasSubstr("gain of b&lt;1&gt;.conf over now"),
                          HasSubstr("smallest difference that is shown"), HasSubstr("What differs"),
                          HasSubstr("B came out better in 0 of")));
  for (const char* text : {"No gain", "baseline stays", "winner", "What was put to the proof",
                           "The search", "proposer", "candidates"}) {
    EXPECT_THAT(page, Not(HasSubstr(text)));
  }
}

TEST(ReportTest, AComparisonWithABetterBIsAGainOfB) {
  const std::string page = RenderReport(ComparisonOf("b<1>.conf is better than now.", 0.1));
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>b&lt;1&gt;.conf is better than now</h1>"),
                          HasSubstr(" higher with b&lt;1&gt;.conf than with now")));
}

TEST(ReportTest, AComparisonThatWasStoppedIsToldAsOnTheTerminal) {
  tune::CampaignHistory history = ComparisonOf("It was stopped after 12 of 60 pairs.", 0.1);
  history.campaign.verdict->kind = tune::Verdict::Kind::kNotEnough;
  const std::string page = RenderReport(history);
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>Not enough was tried to say</h1>"),
                          HasSubstr("It was stopped after 12 of 60 pairs.")));
}

TEST(ReportTest, TextsFromOutsideCannotBecomeMarkup) {
  const std::string evil = "</td><script>alert('x')</script>\"<img src=x onerror=y>";
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.campaign.start.machine[evil] = evil;
  history.campaign.start.version = evil;
  history.campaign.start.spec.search.proposer = evil;
  history.campaign.start.spec.options[evil] = evil;
  history.campaign.last_error = evil;
  tune::Verdict& verdict = *history.campaign.verdict;
  verdict.reason = verdict.proof->failure = evil;
  verdict.notes = verdict.dropped = {evil};
  verdict.effects[0].name = evil;
  verdict.proof->candidate.assignment[evil] = evil;
  verdict.proof->candidate.source = evil;
  verdict.proof->objectives[0].metric = evil;
  verdict.proof->limits.push_back({{evil, true, 1, false}, {}, false});
  history.campaign.start.spec.rule.limits = {{evil, true, 1, false}};
  for (tune::HistoryBlock& block : history.blocks) {
    block.evaluation.reason = evil;
    block.candidate.assignment[evil] = evil;
    for (Sample& sample : block.evaluation.samples) sample.marks = {evil};
    for (Metric& metric : block.evaluation.metrics) metric.unit = evil;
  }
  history.decisions.push_back({tune::ToDecision(tune::StopDecision{.why = evil}), {}});
  for (const bool is_done : {true, false}) {
    if (!is_done) history.campaign.verdict.reset();
    const std::string page = RenderReport(history);
    ExpectSound(page);
    EXPECT_THAT(page, AllOf(Not(HasSubstr("<img")), HasSubstr("&lt;script&gt;")));
  }
}

TEST(ReportTest, OnlyTheScriptThatIsMeantMayRun) {
  const std::string page =
      RenderReport(tune::HistoryBuilder::Gain(), {"draw()", "#plots{}", "sha256-abc="});
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-abc='"));
  EXPECT_THAT(page, HasSubstr("<script>draw()</script>"));
  EXPECT_THAT(page, HasSubstr("<section id=\"plots\">"));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(RenderReport(tune::HistoryBuilder::Gain()), HasSubstr("script-src 'none'"));
}

// The text of the JSON document in the page.
std::string DataIn(const std::string& page) {
  const std::string mark = "id=\"campaign\">";
  const auto begin = page.find(mark);
  if (begin == page.npos) return "";
  return page.substr(begin + mark.size(), page.find("</script>", begin) - begin - mark.size());
}

TEST(ReportTest, ThePlotsDataHoldNoMarkup) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.blocks[3].evaluation.reason = "</script><script>alert(1)</script><!--";
  history.campaign.verdict->detectable = std::numeric_limits<double>::infinity();
  const std::string data = DataIn(RenderReport(history, {"draw()", "", "sha256-abc="}));
  EXPECT_THAT(data, Not(HasSubstr("<")));
  const auto json = ParseJson(data, "data");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ((*json)["events"].size(), 16U);
  EXPECT_EQ((*json)["campaign"]["line"]["id"], "toy-7");
  EXPECT_THAT(Dump((*json)["events"]), HasSubstr("</script><script>"));
}

TEST(ReportTest, ALongCampaignLeavesOutDetailsBeforeItIsTooLarge) {
  tune::HistoryBuilder builder;
  for (std::int64_t number = 0; number < 6000; ++number) builder.AddTrial(number, 0.01);
  const std::string page = RenderReport(builder.history(), {"draw()", "", "sha256-abc="});
  EXPECT_LT(page.size(), 2'000'000U);
  EXPECT_THAT(page, HasSubstr("<footer>"));
}

TEST(ReportTest, NumbersThatAreNotFiniteAreLeftOut) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  for (tune::HistoryBlock& block : history.blocks) {
    block.evaluation.samples[0].metrics["throughput"].value = std::nan("");
    block.evaluation.samples[1].metrics["throughput"].value =
        std::numeric_limits<double>::infinity();
    block.evaluation.samples[2 % block.evaluation.samples.size()].metrics.clear();
  }
  ExpectSound(RenderReport(history));
}

TEST(ReportTest, IntervalsThatDataDoNotBoundAreSaidSo) {
  tune::CampaignHistory history = tune::HistoryBuilder::Gain();
  history.campaign.verdict->proof->reward.interval = {};
  history.campaign.verdict->effects[0].effect.interval = {};
  history.campaign.verdict->detectable = std::numeric_limits<double>::infinity();
  const std::string page = RenderReport(history);
  ExpectSound(page);
  EXPECT_THAT(page, HasSubstr("−100.0\u00A0% to +∞"));
}

TEST(ReportTest, SingleTrialAndSinglePairRender) {
  tune::HistoryBuilder builder;
  builder.AddBlock("gate", builder.history().campaign.start.baseline, 0, 1);
  builder.AddTrial(0, 0.05);
  builder.AddBlock("proof/0", tune::HistoryBuilder::CandidateWith(2), 0.05, 1);
  tune::Verdict verdict;
  verdict.proof =
      builder.ProofFrom(tune::BlockPhase::kProof, tune::HistoryBuilder::CandidateWith(2));
  builder.Finish(verdict);
  ExpectSound(RenderReport(builder.history()));
}

TEST(ReportTest, LongCampaignStaysSmall) {
  tune::HistoryBuilder builder;
  builder.AddBlock("gate", builder.history().campaign.start.baseline, 0, 300);
  for (std::int64_t i = 0; i < 2000; ++i) {
    if (i % 3 == 0) {
      builder.AddFailedTrial(i, Outcome::kBuildFailed, std::string(5000, '<'));
    } else {
      builder.AddTrial(i, 1e-5 * static_cast<double>(i));
    }
  }
  for (tune::HistoryBlock& block : builder.history().blocks) {
    if (tune::PhaseOf(block) == tune::BlockPhase::kTrial)
      block.candidate.assignment["note"] = std::string(5000, '&');
  }
  builder.AddBlock("proof/0", tune::HistoryBuilder::CandidateWith(2001), 0.02, 500);
  tune::Verdict verdict;
  verdict.proof =
      builder.ProofFrom(tune::BlockPhase::kProof, tune::HistoryBuilder::CandidateWith(2001));
  verdict.proof->candidate.source = std::string(1 << 20, '"');
  for (int i = 0; i < 1000; ++i) {
    verdict.proof->candidate.assignment["parameter_" + std::to_string(i)] = std::string(500, '<');
  }
  builder.history().blocks.back().candidate = verdict.proof->candidate;
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  for (const char* text : {"400 of 2000 trials are listed", "of 500 pairs", "p &lt; 0.0001"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST(ReportTest, ABenchmarkThatDoesNotRunIsShownWithWhatItPrinted) {
  tune::HistoryBuilder builder;
  tune::Verdict verdict;
  verdict.kind = tune::Verdict::Kind::kDoesNotRun;
  verdict.reason = "With nothing changed, the benchmark exited with status 3 (crashed).";
  verdict.output = {{"benchmark: errors", "no such <table>"}};
  builder.Finish(verdict);
  const std::string page = RenderReport(builder.history());
  ExpectSound(page);
  EXPECT_THAT(page, AllOf(HasSubstr("<h1>The benchmark does not run</h1>"),
                          HasSubstr("no such &lt;table&gt;"), HasSubstr("does_not_run")));
}

}  // namespace
}  // namespace hone::report
