// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/domain_exam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// What a domain can get wrong. A domain without any of it passes the exam.
struct Flaws {
  bool hides_metric = false;
  bool reports_nan = false;
  bool declares_metric_twice = false;
  bool omits_unit = false;
  bool fails_baseline = false;
  bool gives_error_for_candidate = false;
  bool gives_no_reason = false;
  bool takes_anything = false;
  bool forgets_seed = false;
  bool shares_state = false;
  bool opens_once = false;
  bool ignores_stop = false;
  bool ignores_limit = false;
  bool refuses_default = false;
  bool hides_pairs = false;
  bool lacks_pairs = false;
  bool exchanges_pairs = false;
  bool disturbs_pairs = false;
  bool is_falsely_exclusive = false;
  bool hides_change_of_host = false;
  bool prepares_for_long = false;
};

constexpr std::chrono::milliseconds kLongPreparation{30};  // Longer than a run may take there.

Space OneKnob() {
  return *Space::Make({{"knob", IntegerRange{0, 9}, std::int64_t{0}, "", "The only one.", {}, {}}});
}

class FlawedSession final : public Session {
 public:
  FlawedSession(const Flaws& flaws, const Space& space, std::atomic<int>& runs, bool is_slow)
      : flaws_(flaws), space_(space), runs_(runs), is_slow_(is_slow) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& /*stop*/) override {
    if (is_slow_ && flaws_.prepares_for_long) {
      const auto end = std::chrono::steady_clock::now() + kLongPreparation;
      WaitUntil([&] { return std::chrono::steady_clock::now() >= end; }, "it is prepared");
    }
    const auto valid = space_.Validate(candidate.assignment);
    if (valid || flaws_.takes_anything) return RunResult{};
    return RunResult{
        Outcome::kRejected, flaws_.gives_no_reason ? "" : valid.error().message, {}, {}};
  }

  Result<RunResult> Run(const RunOrder& order) override {
    const int run = ++runs_;
    const bool is_baseline = order.candidate.assignment == space_.Defaults();
    if (is_slow_ && !flaws_.ignores_limit) return TimedOut(order);
    if (flaws_.fails_baseline && is_baseline)
      return RunResult{Outcome::kCrashed, "it fell", {}, {}};
    if (flaws_.gives_error_for_candidate && !is_baseline) {
      return Error{Errc::kUnavailable, "the candidate crashed"};
    }
    RunResult result;
    result.sample.arm = order.arm;
    double value = static_cast<double>(order.seed) + static_cast<double>(order.position);
    if (flaws_.forgets_seed && !is_baseline) value += run;
    if (flaws_.shares_state && is_baseline) value += run;
    if (flaws_.reports_nan) value = std::numeric_limits<double>::quiet_NaN();
    if (!flaws_.hides_metric) result.sample.metrics["speed"].value = value;
    return result;
  }

  Result<std::pair<RunResult, RunResult>> RunTogether(const RunOrder& first,
                                                      const RunOrder& second) override {
    if (flaws_.lacks_pairs) return Session::RunTogether(first, second);
    auto one = Run(first);
    auto other = Run(second);
    if (!one || !other) return Error{Errc::kUnavailable, "one of the two"};
    if (flaws_.disturbs_pairs) one->sample.metrics["speed"].value += 1;
    if (flaws_.exchanges_pairs) std::swap(*one, *other);
    return std::pair(std::move(*one), std::move(*other));
  }

 private:
  RunResult TimedOut(const RunOrder& order) const {
    if (flaws_.ignores_stop) {
      const auto end = std::chrono::steady_clock::now() + order.limit;
      WaitUntil([&] { return std::chrono::steady_clock::now() >= end; }, "its limit is over");
    }
    return {Outcome::kTimedOut, "too slow", {}, {}};
  }

  Flaws flaws_;
  const Space& space_;
  std::atomic<int>& runs_;
  bool is_slow_;
};

class FlawedDomain final : public Domain {
 public:
  FlawedDomain(const Flaws& flaws, bool is_slow) : flaws_(flaws), is_slow_(is_slow) {
    facts_.name = "flawed";
    facts_.summary = "Gets one thing wrong.";
    facts_.is_deterministic = true;
    facts_.runs_side_by_side = !flaws.hides_pairs;
    facts_.is_exclusive = flaws.is_falsely_exclusive;
    facts_.changes_host = flaws.hides_change_of_host;
    const std::string unit = flaws.omits_unit ? "" : "m/s";
    facts_.metrics = {{"speed", unit, Direction::kHigherIsBetter, "How fast."}};
    if (flaws.declares_metric_twice) facts_.metrics.push_back(facts_.metrics.front());
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return space_; }
  Candidate Baseline() const override { return {space_.Defaults(), ""}; }
  Result<std::unique_ptr<Session>> Open() override {
    if (flaws_.opens_once && opened_++ > 0) return Error{Errc::kUnavailable, "open already"};
    return std::make_unique<FlawedSession>(flaws_, space_, runs_, is_slow_);
  }

 private:
  Flaws flaws_;
  bool is_slow_;
  DomainFacts facts_;
  Space space_ = OneKnob();
  std::atomic<int> runs_ = 0;
  std::atomic<int> opened_ = 0;
};

DomainExam ExamOf(const Flaws& flaws) {
  DomainExam exam;
  exam.entry = {.name = "flawed",
                .summary = "Gets one thing wrong.",
                .options = {{"slow", "no", "Whether runs take long."}},
                .make = [flaws](const Options& options) -> Result<std::unique_ptr<Domain>> {
                  if (flaws.refuses_default && options.contains("slow")) {
                    return Error{Errc::kInvalidArgument, "option slow: no"};
                  }
                  const bool is_slow = options.contains("slow") && options.at("slow") == "yes";
                  return std::make_unique<FlawedDomain>(flaws, is_slow);
                }};
  exam.slow_options = {{"slow", "yes"}};
  exam.candidates = 20;
  return exam;
}

// Which question notices the flaw.
struct FlawCase {
  std::string question;
  bool Flaws::*flaw;
};

class DomainExamFlawTest : public ::testing::TestWithParam<FlawCase> {};

TEST_P(DomainExamFlawTest, NoticesTheFlaw) {
  Flaws flaws;
  flaws.*GetParam().flaw = true;
  DomainExam exam = ExamOf(flaws);
  exam.run_timeout = std::chrono::milliseconds{20};  // One flaw is to wait for it.
  EXPECT_THAT(ComplaintsAbout(exam), Contains(StartsWith(GetParam().question + ": ")));
}

INSTANTIATE_TEST_SUITE_P(
    All, DomainExamFlawTest,
    ::testing::Values(
        FlawCase{"BaselineReportsEveryMetric", &Flaws::hides_metric},
        FlawCase{"BaselineReportsEveryMetric", &Flaws::reports_nan},
        FlawCase{"FactsAreComplete", &Flaws::declares_metric_twice},
        FlawCase{"FactsAreComplete", &Flaws::omits_unit},
        FlawCase{"BaselineReportsEveryMetric", &Flaws::fails_baseline},
        FlawCase{"RandomCandidatesComeToAnOutcome", &Flaws::gives_error_for_candidate},
        FlawCase{"InvalidCandidateIsRejectedWithAReason", &Flaws::gives_no_reason},
        FlawCase{"InvalidCandidateIsRejectedWithAReason", &Flaws::takes_anything},
        FlawCase{"SameSeedAndPositionGiveTheSameSample", &Flaws::forgets_seed},
        FlawCase{"SessionsSideBySideDoNotDisturbEachOther", &Flaws::shares_state},
        FlawCase{"SessionsSideBySideDoNotDisturbEachOther", &Flaws::is_falsely_exclusive},
        FlawCase{"PairsRunSideBySideWhereTheFactsSaySo", &Flaws::hides_pairs},
        FlawCase{"PairsRunSideBySideWhereTheFactsSaySo", &Flaws::lacks_pairs},
        FlawCase{"PairsRunSideBySideWhereTheFactsSaySo", &Flaws::exchanges_pairs},
        FlawCase{"PairsRunSideBySideWhereTheFactsSaySo", &Flaws::disturbs_pairs},
        FlawCase{"FactsAreComplete", &Flaws::hides_change_of_host},
        FlawCase{"SessionsCanBeReopened", &Flaws::opens_once},
        FlawCase{"RequestedStopEndsARun", &Flaws::ignores_stop},
        FlawCase{"RequestedStopEndsAPreparation", &Flaws::prepares_for_long},
        FlawCase{"RunOverItsLimitHasTimedOut", &Flaws::ignores_limit},
        FlawCase{"DeclaredDefaultsAreAllowed", &Flaws::refuses_default}));

TEST(DomainExamTest, PassesADomainWithoutFlaws) {
  EXPECT_THAT(ComplaintsAbout(ExamOf({})), IsEmpty());
}

TEST(DomainExamTest, NoticesAnEntryThatMakesNothing) {
  DomainExam exam = ExamOf({});
  exam.entry.make = [](const Options&) -> Result<std::unique_ptr<Domain>> {
    return Error{Errc::kUnsupported, "not on this machine"};
  };
  EXPECT_THAT(ComplaintsAbout(exam), Contains("FactsAreComplete: not on this machine"));
}

TEST(DomainExamTest, NoticesACheckThatSaysOtherThanTheFacts) {
  DomainExam exam = ExamOf({});
  exam.entry.check = [](const Options&) -> Result<Capabilities> { return Capabilities{{"gpu"}}; };
  EXPECT_THAT(ComplaintsAbout(exam), Contains(StartsWith("FactsAreComplete: the entry's check")));
  exam.entry.check = [](const Options&) -> Result<Capabilities> { return Capabilities{}; };
  EXPECT_THAT(ComplaintsAbout(exam), IsEmpty());
}

TEST(DomainExamTest, EntryIsAskedForNeedsWithoutADomain) {
  DomainTable table = {{"flawed", ExamOf({}).entry}};
  EXPECT_EQ(CheckDomain(table, "flawed", {}), Capabilities{});
  EXPECT_EQ(CheckDomain(table, "other", {}).error().code, Errc::kNotFound);
  EXPECT_EQ(CheckDomain(table, "flawed", {{"no", ""}}).error().code, Errc::kInvalidArgument);
  table.at("flawed").make = [](const Options&) -> Result<std::unique_ptr<Domain>> {
    return Error{Errc::kUnsupported, "not on this machine"};
  };
  EXPECT_EQ(CheckDomain(table, "flawed", {}).error().code, Errc::kUnsupported);
  table.at("flawed").check = [](const Options&) -> Result<Capabilities> {
    return Capabilities{{"gpu"}};
  };
  EXPECT_EQ(CheckDomain(table, "flawed", {})->names, std::set<std::string>{"gpu"});
}

}  // namespace
}  // namespace hone
