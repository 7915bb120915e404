// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/tune/watch/watch_for_test.h"

namespace hone::tune {
namespace {

using Kind = WatchEvent::Kind;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

double At(const Assignment& values, const std::string& name) {
  return std::get<double>(values.at(name));
}

// A smooth hill in x around `top`: a gain of about 11 % for 0.1 on its side.
FakeService::Metrics Hill(const Assignment& values, double top) {
  const double distance = At(values, "x") - top;
  return {{"rate", 1000 * std::exp(-2 * distance * distance)}};
}

WatchSettings Quick(std::int64_t rounds, std::uint64_t seed = 1) {
  WatchSettings settings;
  settings.seed = seed;
  settings.max_rounds = rounds;
  settings.steps.length = 0.05;
  return settings;
}

TEST(WatchTest, FindsAGainStepByStepWithoutLeavingTheTrustRadius) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t) {
    return Hill(values, 0.95);  // Beyond the radius of 0.25.
  });
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GE(summary->adopted, 3);
  EXPECT_GE(At(summary->in_force.assignment, "x"), 0.65);
  ASSERT_TRUE(summary->gain);
  EXPECT_GT(summary->gain->interval.low, 0);

  Assignment before = service.subject.originals.assignment;
  for (const WatchEvent& event : service.Of(Kind::kAdopted)) {
    EXPECT_NEAR(At(event.in_force.assignment, "x"), At(before, "x"), 0.051) << event.what;
    EXPECT_NEAR(At(event.in_force.assignment, "y"), At(before, "y"), 0.051) << event.what;
    before = event.in_force.assignment;
  }
  for (const Candidate& run : service.runs) {
    EXPECT_LE(std::abs(At(run.assignment, "x") - 0.5), 0.2501);
    EXPECT_LE(std::abs(At(run.assignment, "y") - 0.5), 0.2501);
  }
}

TEST(WatchTest, TheTotalGainIsProvenBeforeItRests) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.7); });
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary && summary->gain);
  const double truth = 2 * 0.2 * 0.2 - 2 * std::pow(At(summary->in_force.assignment, "x") - 0.7, 2);
  EXPECT_TRUE(summary->gain->interval.Contains(truth))
      << truth << " in " << summary->gain->interval.low << " " << summary->gain->interval.high;
  ASSERT_FALSE(service.Of(Kind::kProven).empty());
  ASSERT_FALSE(service.Of(Kind::kResting).empty());
  EXPECT_GT(service.rests, 0);
}

TEST(WatchTest, AHarmfulRegionIsEnteredOnceAndLeftAfterOneRun) {
  const auto is_harmful = [](const Assignment& values) { return At(values, "x") > 0.52; };
  FakeService service(TwoRanges(), [&](const Assignment& values, std::int64_t) {
    return FakeService::Metrics{{"rate", is_harmful(values) ? 600.0 : 1000.0}};
  });
  const auto summary = service.Watch(Quick(40));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->harms, 1);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < service.runs.size(); ++i) {
    if (is_harmful(service.runs[i].assignment)) places.push_back(i);
  }
  ASSERT_EQ(places.size(), 1U);
  ASSERT_LT(places[0] + 1, service.runs.size());
  EXPECT_EQ(service.runs[places[0] + 1], service.subject.originals);
  EXPECT_THAT(service.Of(Kind::kHarm).at(0).reason, HasSubstr("against a typical one"));
}

TEST(WatchTest, ALimitBrokenInOneRunEndsTheTrialAndReverts) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t) {
    auto metrics = Hill(values, 0.9);
    metrics["p99_ms"] = At(values, "x") > 0.52 ? 25.0 : 15.0;  // Faster, but beyond the limit.
    return metrics;
  });
  service.subject.rule.limits = {{"p99_ms", true, 20, false}};
  const auto summary = service.Watch(Quick(30));
  ASSERT_TRUE(summary) << summary.error().message;
  std::vector<std::string> reasons;
  for (const WatchEvent& event : service.Of(Kind::kHarm)) reasons.push_back(event.reason);
  EXPECT_THAT(reasons, Contains("p99_ms was 25, the limit is p99_ms <= 20").Times(1));
  for (std::size_t i = 0; i + 1 < service.runs.size(); ++i) {
    if (At(service.runs[i].assignment, "x") > 0.52) {
      EXPECT_EQ(service.runs[i + 1], service.subject.originals);
    }
  }
  EXPECT_LE(At(summary->in_force.assignment, "x"), 0.52);
}

TEST(WatchTest, ACandidateThatCrashesIsLeftAtOnceAndNotTriedAgain) {
  int crashes = 0;
  FakeService service(TwoRanges(), [&](const Assignment& values, std::int64_t) {
    if (At(values, "y") >= 0.5) return FakeService::Metrics{{"rate", 1000}};
    ++crashes;
    return FakeService::Metrics{};
  });
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(crashes, 1);
  EXPECT_THAT(service.Of(Kind::kHarm).at(0).reason, HasSubstr("the service crashed"));
}

TEST(WatchTest, AShiftOfTheOptimumIsNoticedAndRetuned) {
  constexpr std::int64_t kShift = 500;
  FakeService service(TwoRanges(), [&](const Assignment& values, std::int64_t run) {
    auto metrics = Hill(values, run < kShift ? 0.7 : 0.3);
    if (run >= kShift) metrics["rate"] *= 0.8;  // The workload is heavier, too.
    return metrics;
  });
  const auto summary = service.Watch(Quick(500));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GT(summary->runs, kShift + 200);
  EXPECT_EQ(summary->shifts, 1);
  EXPECT_GE(summary->reverted, 1);  // What was in force is worse than the originals now.
  EXPECT_LT(At(summary->in_force.assignment, "x"), 0.45);
  ASSERT_TRUE(summary->gain);
  EXPECT_GT(summary->gain->interval.low, 0);
  const auto shift = service.Of(Kind::kShift).at(0);
  EXPECT_GT(At(shift.in_force.assignment, "x"), 0.55);
  EXPECT_LT(shift.gain->effect, -0.1);
}

TEST(WatchTest, AnIncumbentThatBreaksALimitLaterIsGivenUpForTheOriginals) {
  bool is_peak = false;
  FakeService service(TwoRanges(), [&](const Assignment& values, std::int64_t) {
    auto metrics = Hill(values, 0.7);
    metrics["p99_ms"] = is_peak && At(values, "x") > 0.5 ? 25.0 : 15.0;
    return metrics;
  });
  service.subject.rule.limits = {{"p99_ms", true, 20, false}};
  service.is_over = [&] {
    is_peak = is_peak || !service.Of(Kind::kResting).empty();
    return false;
  };
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  ASSERT_EQ(service.Of(Kind::kReverted).size(), 1U);
  const WatchEvent reverted = service.Of(Kind::kReverted)[0];
  EXPECT_EQ(reverted.in_force, service.subject.originals);
  EXPECT_THAT(reverted.reason, HasSubstr("p99_ms was 25"));
  // The way up is barred for a while: it does not flap.
  EXPECT_EQ(summary->in_force.assignment.at("x"), Value(0.5));
}

TEST(WatchTest, WhileTheOriginalsBreakALimitNothingIsTriedAndItIsToldOnce) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t) {
    auto metrics = Hill(values, 0.9);
    metrics["p99_ms"] = 25;
    return metrics;
  });
  service.subject.rule.limits = {{"p99_ms", true, 20, false}};
  const auto summary = service.Watch(Quick(30));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->tried, 0);
  EXPECT_EQ(service.Of(Kind::kStrained).size(), 1U);
}

TEST(WatchTest, StepsCannotUseUpARelativeLimitOneAfterTheOther) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t) {
    auto metrics = Hill(values, 0.95);
    metrics["p99_ms"] = 10 * std::exp(0.8 * (At(values, "x") - 0.5));  // 4 % a step.
    return metrics;
  });
  service.subject.rule.limits = {{"p99_ms", true, 1.05, true}};
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->adopted, 1);
  EXPECT_EQ(summary->in_force.assignment.at("x"), Value(0.55));
}

TEST(WatchTest, AFailingMeasurementIsToldAndWhatIsInForceStays) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.7); });
  service.fail = [](std::int64_t run) -> std::optional<Error> {
    if (run % 50 != 49) return std::nullopt;
    return Error{Errc::kUnavailable, "the exporter did not answer"};
  };
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GE(summary->failures, 5);
  EXPECT_GE(summary->adopted, 2);
  const auto failed = service.Of(Kind::kFailed);
  ASSERT_EQ(static_cast<std::int64_t>(failed.size()), summary->failures);
  EXPECT_THAT(failed[0].reason, HasSubstr("the exporter did not answer"));
  Candidate in_force = service.subject.originals;
  for (const WatchEvent& event : service.events) {
    if (event.kind == Kind::kRun) continue;
    if (event.kind != Kind::kAdopted && event.kind != Kind::kReverted) {
      EXPECT_EQ(event.in_force, in_force) << NameOf(event.kind);
    }
    in_force = event.in_force;
  }
}

TEST(WatchTest, AServiceThatKeepsFailingEndsTheWatch) {
  FakeService service(TwoRanges(), nullptr);
  service.fail = [](std::int64_t) { return Error{Errc::kUnavailable, "no answer"}; };
  const auto summary = service.Watch(Quick(60));
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("5 runs in a row could not be made"));
  EXPECT_THAT(service.Of(Kind::kEnd).at(0).reason, HasSubstr("no answer"));
}

TEST(WatchTest, OriginalsThatFailAgainAndAgainEndItWithWhatTheyPrintedLast) {
  FakeService service(TwoRanges(),
                      [](const Assignment&, std::int64_t) { return FakeService::Metrics{}; });
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << "that the benchmark does not run is an answer, not a failure of ours: "
                       << summary.error().message;
  EXPECT_THAT(summary->does_not_run, HasSubstr("the originals themselves failed 5 times in a row"));
  EXPECT_THAT(summary->does_not_run, HasSubstr("the service crashed"));
  EXPECT_THAT(summary->output, ElementsAre(Evidence{"service: errors", "no such table"}));
  EXPECT_EQ(service.runs.size(), 5U);
  EXPECT_EQ(service.events.back().kind, Kind::kEnd);
  EXPECT_EQ(service.events.back().reason, summary->does_not_run);
}

TEST(WatchTest, OriginalsThatFailInATrialAreAskedAgainAndBrokeNoLimit) {
  FakeService service(TwoRanges(), [](const Assignment& values, std::int64_t run) {
    const bool is_original = At(values, "x") == 0.5 && At(values, "y") == 0.5;
    if (run >= 12 && is_original) return FakeService::Metrics{};
    return FakeService::Metrics{{"rate", 1000}};
  });
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_THAT(summary->does_not_run, HasSubstr("the service crashed"));
  EXPECT_EQ(summary->failures, 5);
  EXPECT_EQ(summary->tried, 0);
  EXPECT_THAT(service.Of(Kind::kStrained), IsEmpty());
  EXPECT_LE(service.runs.size(), 12U + 1 + 5) << "steps were tried beside a service that is down";
}

std::vector<std::string> OpenedMark() { return {"suspicious: the benchmark opened vm.x"}; }

TEST(WatchTest, ABenchmarkThatReadsWhatIsTunedGetsNoStepTriedAndIsTold) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.9); });
  service.marks = OpenedMark;
  const auto summary = service.Watch(Quick(40));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->tried, 0);
  EXPECT_EQ(summary->adopted, 0);
  EXPECT_EQ(summary->in_force, service.subject.originals);
  EXPECT_THAT(summary->suspicions, ElementsAre(HasSubstr("the benchmark opened vm.x (in ")));
  ASSERT_EQ(service.Of(Kind::kSuspicious).size(), 1U);
  EXPECT_THAT(service.Of(Kind::kSuspicious)[0].reason, HasSubstr("the benchmark opened vm.x"));
}

TEST(WatchTest, WhatWasAdoptedGoesBackWhenTheBenchmarkIsSeenToReadIt) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.9); });
  service.marks = [&] {
    return service.Of(Kind::kAdopted).empty() ? std::vector<std::string>() : OpenedMark();
  };
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_GE(summary->adopted, 1);
  EXPECT_EQ(summary->reverted, 1);
  EXPECT_EQ(summary->in_force, service.subject.originals);
  EXPECT_FALSE(summary->gain);
  EXPECT_THAT(summary->suspicions, testing::Not(IsEmpty()));
  EXPECT_THAT(service.Of(Kind::kReverted).at(0).reason, HasSubstr("the benchmark opened vm.x"));
}

TEST(WatchTest, AStepOfWhichNothingCanBeSaidDoesNotCountAsTried) {
  FakeService service(TwoRanges(), [](const Assignment&, std::int64_t) {
    return FakeService::Metrics{{"rate", 1000}};
  });
  service.is_over = [&] { return service.runs.size() >= 15; };  // In the first step's second pair.
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_NE(service.runs[12], service.runs[13]);
  EXPECT_EQ(summary->tried, 0);
}

TEST(WatchTest, WhenSomebodyElseTookTheParametersItEndsAtOnce) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.7); });
  service.fail = [](std::int64_t run) -> std::optional<Error> {
    if (run < 20) return std::nullopt;
    return Error{Errc::kStale, "vm.swappiness: somebody else set it to 10"};
  };
  const auto summary = service.Watch(Quick(60));
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, Errc::kStale);
  EXPECT_EQ(service.runs.size(), 21U);
}

TEST(WatchTest, AnEventThatCannotBeRecordedEndsTheWatch) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.7); });
  std::size_t recorded = 0;
  const WatchHooks hooks{.measure =
                             [](const Task&) {
                               Evaluation evaluation;
                               evaluation.samples.resize(1);
                               evaluation.samples[0].metrics["rate"] = {.value = 1000};
                               return Result<Evaluation>(evaluation);
                             },
                         .record = [&](const WatchEvent&) -> Result<void> {
                           if (++recorded < 5) return {};
                           return Error{Errc::kUnavailable, "watch.jsonl: the disk is full"};
                         },
                         .rest = [] {},
                         .is_over = [] { return false; }};
  const auto summary = WatchOver(service.subject, Quick(60), hooks);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("the disk is full"));
}

TEST(WatchTest, ToldToStopInTheMiddleOfATrialItSaysWhatIsInForce) {
  FakeService service(TwoRanges(),
                      [](const Assignment& values, std::int64_t) { return Hill(values, 0.9); });
  service.is_over = [&] { return service.runs.size() >= 17; };
  const auto summary = service.Watch(Quick(60));
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(service.runs.size(), 17U);
  EXPECT_EQ(summary->in_force, service.subject.originals);
  EXPECT_EQ(service.events.back().kind, Kind::kEnd);
}

TEST(WatchTest, TheSameSeedAndTheSameRunsGiveTheSameEvents) {
  const auto events_of = [](std::uint64_t seed) {
    FakeService service(TwoRanges(),
                        [](const Assignment& values, std::int64_t) { return Hill(values, 0.7); });
    EXPECT_TRUE(service.Watch(Quick(30, seed)));
    return service.events;
  };
  EXPECT_EQ(events_of(5), events_of(5));
  EXPECT_NE(events_of(5), events_of(6));
}

TEST(WatchTest, SettingsOutOfRangeAreRefusedByName) {
  FakeService service(TwoRanges(), nullptr);
  WatchSettings settings = Quick(1);
  settings.steps.radius = 1.5;
  const auto summary = service.Watch(settings);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("watch: radius is 1.5; allowed: above 0"));
  EXPECT_TRUE(service.events.empty());
}

}  // namespace
}  // namespace hone::tune
