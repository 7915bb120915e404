// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "hone/domains/domain_contract.h"
#include "hone/domains/toy/toy_surface.h"

namespace hone {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::unique_ptr<Domain> MakeToy(const Options& options) {
  auto domain = MakeDomain({{"toy", ToyDomainEntry()}}, "toy", options);
  EXPECT_TRUE(domain) << domain.error().message;
  return std::move(*domain);
}

struct OpenedToy {
  Result<RunResult> Run(const Candidate& what, std::uint64_t seed, std::int64_t position) const {
    return session->Run({Arm::kCandidate, what, seed, position, std::chrono::milliseconds{1}, {}});
  }
  double Throughput(const Candidate& what, std::uint64_t seed, std::int64_t position) const {
    return Run(what, seed, position)->sample.metrics.at("throughput").value;
  }

  std::unique_ptr<Domain> domain;
  std::unique_ptr<Session> session;
  Candidate candidate;  // Neither baseline nor optimum, so that faults may strike it.
};

OpenedToy OpenToy(const Options& options) {
  auto domain = MakeToy(options);
  auto session = domain->Open();
  Candidate candidate = domain->Baseline();
  candidate.assignment["threads"] = std::int64_t{9};
  return {std::move(domain), std::move(*session), std::move(candidate)};
}

TEST(ToyDomainTest, WithoutNoiseARunReportsTheTruth) {
  const OpenedToy opened = OpenToy({{"surface", "smooth"}, {"noise", "0"}, {"gain", "0.25"}});
  const auto surface = toy::Surface::Make("smooth", 0.25);
  const Candidate optimum{surface->optimum(), ""};
  EXPECT_DOUBLE_EQ(opened.Throughput(optimum, 1, 1), 1250);
  const auto baseline = opened.Run(opened.domain->Baseline(), 1, 1);
  EXPECT_DOUBLE_EQ(baseline->sample.metrics.at("throughput").value, 1000);
  EXPECT_DOUBLE_EQ(baseline->sample.metrics.at("latency_ms").value, 10);
  EXPECT_DOUBLE_EQ(baseline->sample.metrics.at("stability").value, 0.9);
}

TEST(ToyDomainTest, NoiseIsTheSameWhicheverCandidateRuns) {
  const OpenedToy opened = OpenToy({{"noise", "0.05"}});
  const Candidate baseline = opened.domain->Baseline();
  const double ratio =
      opened.Throughput(opened.candidate, 3, 4) / opened.Throughput(baseline, 3, 4);
  EXPECT_NEAR(std::log(ratio),
              toy::TrueLogGain(*toy::Surface::Make("smooth", 0.1), opened.candidate.assignment),
              1e-12);
  EXPECT_NE(opened.Throughput(baseline, 3, 4), opened.Throughput(baseline, 3, 5));
  EXPECT_NE(opened.Throughput(baseline, 3, 4), opened.Throughput(baseline, 4, 4));
}

TEST(ToyDomainTest, DriftDoesNotDependOnTheTask) {
  const OpenedToy opened = OpenToy({{"noise", "0"}, {"wander", "0.1"}, {"seed", "5"}});
  const OpenedToy elsewhere = OpenToy({{"noise", "0"}, {"wander", "0.1"}, {"seed", "6"}});
  const Candidate baseline = opened.domain->Baseline();
  EXPECT_EQ(opened.Throughput(baseline, 1, 50), opened.Throughput(baseline, 2, 50));
  EXPECT_NE(opened.Throughput(baseline, 1, 50), opened.Throughput(baseline, 1, 51));
  EXPECT_NE(opened.Throughput(baseline, 1, 50), elsewhere.Throughput(baseline, 1, 50));
}

TEST(ToyDomainTest, CrashIsAnOutcomeWithEvidence) {
  const OpenedToy opened = OpenToy({{"fault", "crash"}, {"fault_rate", "1"}});
  const auto result = opened.Run(opened.candidate, 1, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::kCrashed);
  EXPECT_THAT(result->evidence, SizeIs(1));
  EXPECT_TRUE(result->sample.metrics.empty());
}

TEST(ToyDomainTest, HangEndsAtTheLimit) {
  const OpenedToy opened = OpenToy({{"fault", "hang"}, {"fault_rate", "1"}});
  const auto result = opened.Run(opened.candidate, 1, 1);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::kTimedOut);
  EXPECT_THAT(result->reason, HasSubstr("still running after 1 ms"));
}

TEST(ToyDomainTest, HangEndsWhenAskedToStop) {
  const OpenedToy opened = OpenToy({{"fault", "hang"}, {"fault_rate", "1"}});
  std::stop_source stop;
  stop.request_stop();
  const auto result = opened.session->Run(
      {Arm::kCandidate, opened.candidate, 1, 1, std::chrono::hours{1}, stop.get_token()});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::kTimedOut);
}

TEST(ToyDomainTest, GarbageIsAcceptedHereAndNotANumber) {
  const OpenedToy opened = OpenToy({{"fault", "garbage"}, {"fault_rate", "1"}});
  EXPECT_TRUE(std::isnan(opened.Throughput(opened.candidate, 1, 1)));
}

TEST(ToyDomainTest, MissingLeavesTheThroughputOut) {
  const OpenedToy opened = OpenToy({{"fault", "missing"}, {"fault_rate", "1"}});
  const auto result = opened.Run(opened.candidate, 1, 1);
  EXPECT_EQ(result->outcome, Outcome::kAccepted);
  EXPECT_FALSE(result->sample.metrics.contains("throughput"));
  EXPECT_TRUE(result->sample.metrics.contains("latency_ms"));
}

TEST(ToyDomainTest, BuildFaultFailsWhilePreparing) {
  const OpenedToy opened = OpenToy({{"fault", "build"}, {"fault_rate", "1"}});
  const auto prepared = opened.session->Prepare(opened.candidate);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kBuildFailed);
  EXPECT_THAT(prepared->evidence, SizeIs(1));
}

TEST(ToyDomainTest, SourceTextIsRejected) {
  const OpenedToy opened = OpenToy({});
  const auto prepared = opened.session->Prepare({opened.domain->Baseline().assignment, "int main"});
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kRejected);
}

TEST(ToyDomainTest, GarbageFailsTheExam) {
  DomainExam exam;
  exam.entry = ToyDomainEntry();
  exam.options = {{"fault", "garbage"}};
  EXPECT_THAT(ComplaintsAbout(exam), Contains(HasSubstr("throughput: nan")));
}

std::vector<DomainCase> ExamCases() {
  std::map<std::string, Options> cases = {
      {"Noisy", {{"shape", "student3"}, {"autocorrelation", "0.5"}, {"wander", "0.1"}}},
      {"Crashing", {{"fault", "crash"}, {"fault_place", "runs"}}},
      {"NotBuilding", {{"fault", "build"}, {"fault_place", "region"}}},
  };
  for (const std::string& name : toy::SurfaceNames()) cases[name] = {{"surface", name}};
  std::vector<DomainCase> exams;
  for (const auto& [name, options] : cases) {
    DomainExam exam;
    exam.entry = ToyDomainEntry();
    exam.options = options;
    exam.slow_options = {{"duration_ms", "3600000"}};
    exams.push_back({name, exam});
  }
  return exams;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Toy, DomainContract, DomainContractCases(ExamCases()), NameOfDomainCase);

}  // namespace hone
