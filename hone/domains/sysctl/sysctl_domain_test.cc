// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/sysctl_domain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/domain_contract.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/testing/host_parameters_lock.h"

namespace hone {
namespace {

using testing::HasSubstr;

// A benchmark that takes a moment, or for ever.
std::string Workload(const Json& parameters, const std::string& target, bool is_slow = false) {
  return Json{
      {"name", "quick"},
      {"description", "Takes no time."},
      {"target", target},
      {"benchmark", {{"shell", is_slow ? "sleep 1000" : "echo \"score: 7\""}}},
      {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
      {"parameters", parameters}}
      .dump();
}

const Json kOnHost = {"vm.vfs_cache_pressure", "vm.stat_interval"};
const Json kInNamespace = {"net.ipv4.tcp_autocorking", "net.ipv4.tcp_notsent_lowat"};

DomainExam ExamWith(const Json& parameters, const std::string& target) {
  DomainExam exam;
  exam.entry = SysctlDomainEntry();
  exam.options = {{"workload", Workload(parameters, target)}};
  exam.slow_options = {{"workload", Workload(parameters, target, true)}};
  exam.candidates = 8;
  return exam;
}

DomainExam Rehearsal() {
  DomainExam exam = ExamWith(kOnHost, "host");
  exam.options["rehearsal"] = "yes";
  exam.slow_options = {};  // It takes no time.
  exam.candidates = 50;
  return exam;
}

// The contract's own test sees neither the lock nor who runs it, so both are dealt with around it.
class OnTheHost : public testing::Environment {
 public:
  void SetUp() override {
    folder_.emplace(TempDir::Make());
    ::setenv("HONE_STATE", (*folder_)->path().c_str(), 1);
    lock_.emplace();
  }
  void TearDown() override { lock_.reset(); }

 private:
  std::optional<sysctl::HostParametersLock> lock_;
  std::optional<Result<TempDir>> folder_;
};

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new OnTheHost);

std::vector<DomainCase> Cases() {
  std::vector<DomainCase> cases{{"Rehearsal", Rehearsal()},
                                {"Namespace", ExamWith(kInNamespace, "namespace")}};
  if (::geteuid() == 0) cases.push_back({"Host", ExamWith(kOnHost, "host")});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Sysctl, DomainContract, DomainContractCases(Cases()), NameOfDomainCase);

Result<std::unique_ptr<Domain>> Make(const Json& parameters, const std::string& target) {
  return SysctlDomainEntry().make({{"workload", Workload(parameters, target)}});
}

TEST(SysctlDomainTest, ThePreviewNamesEveryParameterWithItsRangeAndRisk) {
  const auto domain = Make(kOnHost, "host");
  ASSERT_TRUE(domain) << domain.error().message;
  const Preview preview = (*domain)->PreviewChanges();
  ASSERT_EQ(preview.planned_changes.size(), 2U);
  EXPECT_EQ(preview.planned_changes[0].what, "vm.vfs_cache_pressure");
  EXPECT_EQ(preview.planned_changes[0].risk, "safe");
  EXPECT_EQ(preview.planned_changes[0].now,
            sysctl::MakeHostFiles()->Read("/proc/sys/vm/vfs_cache_pressure").value_or("?"));
}

TEST(SysctlDomainTest, OnlyTheHostNeedsRootAndIsExclusive) {
  const auto host = Make(kOnHost, "host");
  const auto inside = Make(kInNamespace, "namespace");
  ASSERT_TRUE(host && inside);
  EXPECT_TRUE((*host)->Facts().needs.names.contains("root"));
  EXPECT_TRUE((*host)->Facts().is_exclusive);
  EXPECT_FALSE((*inside)->Facts().needs.names.contains("root"));
  EXPECT_TRUE((*inside)->Facts().runs_side_by_side);
}

TEST(SysctlDomainTest, AHostParameterIsRefusedInANamespace) {
  const auto domain = Make(kOnHost, "namespace");
  ASSERT_FALSE(domain);
  EXPECT_THAT(domain.error().message, HasSubstr("vm.vfs_cache_pressure"));
}

TEST(SysctlDomainTest, AValueThatTheKernelRoundsIsToldAsItIsInForce) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  // The kernel takes powers of two here.
  const std::string name = "net.core.rps_sock_flow_entries";
  const auto domain = Make({{{"name", name}, {"low", 4096}, {"high", 65536}}}, "host");
  ASSERT_TRUE(domain) << domain.error().message;
  const auto session = (*domain)->Open();
  ASSERT_TRUE(session) << session.error().message;
  Candidate candidate = (*domain)->Baseline();
  candidate.assignment[name] = std::int64_t{5000};
  ASSERT_TRUE((*session)->Prepare(candidate));
  const auto ran =
      (*session)->Run({Arm::kCandidate, candidate, 1, 1, std::chrono::seconds(20), {}});
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_EQ(ran->evidence.size(), 1U);
  EXPECT_EQ(ran->evidence[0].text, name + ": asked for 5000, the kernel made it 8192");
}

TEST(SysctlDomainTest, ABrokenTripwireEndsTheRunAndPutsTheParametersBack) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  Json workload = Json::parse(Workload(kOnHost, "host"));
  workload["benchmark"] = {{"shell", "echo \"score: 99\"; sleep 60"}};
  workload["tripwires"] = {{"live", {"score <= 50"}}};
  const auto domain = SysctlDomainEntry().make({{"workload", workload.dump()}});
  ASSERT_TRUE(domain) << domain.error().message;
  const auto session = (*domain)->Open();
  ASSERT_TRUE(session) << session.error().message;
  Candidate candidate = (*domain)->Baseline();
  candidate.assignment["vm.stat_interval"] = std::int64_t{5};
  ASSERT_TRUE((*session)->Prepare(candidate));
  const auto start = std::chrono::steady_clock::now();
  const auto ran =
      (*session)->Run({Arm::kCandidate, candidate, 1, 1, std::chrono::seconds(60), {}});
  ASSERT_TRUE(ran) << ran.error().message;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ran->outcome, Outcome::kRejected);
  EXPECT_THAT(ran->reason, HasSubstr("score was 99"));
  EXPECT_THAT((*domain)->DescribeRestore(),
              HasSubstr("Everything is back"));  // Though the session lives.
  EXPECT_LT(took.count(), 30) << "the benchmark would have taken 60 s";
  RecordProperty("seconds", std::to_string(took.count()));
}

// The service says what it was started with; the benchmark scores that.
Json ServiceWorkload(const std::filesystem::path& folder) {
  const std::string conf = folder / "redis.conf";
  const std::string loaded = folder / "loaded";
  return {{"name", "service"},
          {"service",
           {{"start",
             {{"shell", "echo x >> " + (folder / "starts").native() + "; cp " + conf + " " +
                            loaded + "; exec sleep 1000"}}},
            {"ready", {{"shell", "cmp -s " + conf + " " + loaded}}}}},
          {"benchmark", {{"shell", "echo \"score: $(sed -n 's/^hz //p' " + loaded + ")\""}}},
          {"metrics", {{{"name", "score"}, {"unit", "points"}, {"direction", "higher_is_better"}}}},
          {"parameters", {"cache:hz"}},
          {"service_files",
           {{{"format", "hone-service"},
             {"format_version", 1},
             {"name", "cache"},
             {"like", "redis"},
             {"file", conf}}}}};
}

TEST(SysctlDomainTest, AServiceIsStartedAnewForACandidatesFileAndForTheBaselinesAfterIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const auto folder = TempDir::Make();
  std::ofstream(folder->path() / "redis.conf") << "hz 10\n";
  const auto before = ReadFile(folder->path() / "redis.conf");
  const auto domain =
      SysctlDomainEntry().make({{"workload", ServiceWorkload(folder->path()).dump()}});
  ASSERT_TRUE(domain) << domain.error().message;
  EXPECT_THAT((*domain)->PreviewChanges().notes,
              testing::Contains(HasSubstr("replaces " + (folder->path() / "redis.conf").native())));
  {
    const auto session = (*domain)->Open();
    ASSERT_TRUE(session) << session.error().message;
    const Candidate baseline = (*domain)->Baseline();
    Candidate candidate = baseline;
    candidate.assignment["cache:hz"] = std::int64_t{77};
    const std::vector<std::pair<Candidate, double>> runs{
        {candidate, 77}, {baseline, 10}, {baseline, 10}, {candidate, 77}};
    for (const auto& [what, score] : runs) {
      const auto ran = (*session)->Run({Arm::kCandidate, what, 1, 1, std::chrono::seconds(20), {}});
      ASSERT_TRUE(ran) << ran.error().message;
      ASSERT_EQ(ran->outcome, Outcome::kAccepted) << ran->reason;
      EXPECT_EQ(ran->sample.metrics.at("score").value, score);
    }
    EXPECT_EQ(*ReadFile(folder->path() / "starts"), "x\nx\nx\n")
        << "once for each change, not for a run without one";
  }
  EXPECT_EQ(*ReadFile(folder->path() / "redis.conf"), *before);
  EXPECT_THAT((*domain)->DescribeRestore(), HasSubstr("Everything is back"));
}

// Runs of candidates with these values of cache:hz; what each scored, or how it ended.
std::vector<std::string> RunsWithHz(const Json& workload, const std::vector<std::int64_t>& values) {
  const auto domain = SysctlDomainEntry().make({{"workload", workload.dump()}});
  if (!domain) return {domain.error().message};
  const auto session = (*domain)->Open();
  if (!session) return {session.error().message};
  std::vector<std::string> ends;
  for (const std::int64_t value : values) {
    Candidate candidate = (*domain)->Baseline();
    candidate.assignment["cache:hz"] = value;
    const auto ran =
        (*session)->Run({Arm::kCandidate, candidate, 1, 1, std::chrono::seconds(20), {}});
    if (!ran) return {ran.error().message};
    ends.push_back(ran->outcome == Outcome::kAccepted
                       ? fmt::format("{:g}", ran->sample.metrics.at("score").value)
                       : std::string(NameOf(ran->outcome)));
  }
  return ends;
}

TEST(SysctlDomainTest, AfterATripwireTheServiceIsStartedAnewForTheBaseline) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const auto folder = TempDir::Make();
  std::ofstream(folder->path() / "redis.conf") << "hz 10\n";
  Json workload = ServiceWorkload(folder->path());
  const std::string score = workload["benchmark"]["shell"];
  workload["benchmark"]["shell"] =
      score + "; grep -q 'hz 77' " + (folder->path() / "loaded").native() + " && sleep 60; true";
  workload["tripwires"] = {{"live", {"score <= 50"}}};
  EXPECT_THAT(RunsWithHz(workload, {10, 77, 10}), testing::ElementsAre("10", "rejected", "10"));
  EXPECT_EQ(*ReadFile(folder->path() / "starts"), "x\nx\nx\n");
}

TEST(SysctlDomainTest, AfterARefusedFileTheServiceIsStartedAnewForTheBaseline) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const auto folder = TempDir::Make();
  const std::string conf = folder->path() / "redis.conf";
  std::ofstream(conf) << "hz 10\n";
  Json workload = ServiceWorkload(folder->path());
  workload["service_files"][0]["reload"] = {"grep", "-q", "hz [17]", conf};
  EXPECT_THAT(RunsWithHz(workload, {77, 66, 10, 77}),
              testing::ElementsAre("77", "rejected", "10", "77"));
  EXPECT_EQ(*ReadFile(folder->path() / "starts"), "x\nx\nx\n");
}

TEST(SysctlDomainTest, TheAftermathSaysWhichServiceWasNotToldThatItsFileIsBack) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const auto folder = TempDir::Make();
  const std::string stopped = folder->path() / "stopped";
  std::ofstream(folder->path() / "redis.conf") << "hz 10\n";
  Json workload = ServiceWorkload(folder->path());
  workload.erase("service");
  workload["benchmark"] = {{"shell", "echo \"score: 7\""}};
  workload["service_files"][0]["reload"] = {"test", "!", "-e", stopped};
  const auto domain = SysctlDomainEntry().make({{"workload", workload.dump()}});
  ASSERT_TRUE(domain) << domain.error().message;
  {
    const auto session = (*domain)->Open();
    ASSERT_TRUE(session) << session.error().message;
    Candidate candidate = (*domain)->Baseline();
    candidate.assignment["cache:hz"] = std::int64_t{77};
    const auto ran =
        (*session)->Run({Arm::kCandidate, candidate, 1, 1, std::chrono::seconds(20), {}});
    ASSERT_TRUE(ran) << ran.error().message;
    ASSERT_EQ(ran->outcome, Outcome::kAccepted) << ran->reason;
    std::ofstream(stopped) << "";
  }
  EXPECT_EQ(*ReadFile(folder->path() / "redis.conf"), "hz 10\n");
  EXPECT_THAT((*domain)->DescribeRestore(),
              HasSubstr("NOT as before: " + (folder->path() / "redis.conf").native() +
                        " is back, but its service was not told: test ! -e "));
}

TEST(SysctlDomainTest, TheAftermathSaysThatAllIsBack) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing the host's parameters needs root";
  const auto domain = Make(kOnHost, "host");
  ASSERT_TRUE(domain);
  EXPECT_THAT((*domain)->DescribeRestore(), HasSubstr("Everything is back: all 2 parameters"));
  const auto files = sysctl::MakeHostFiles();
  const std::string path = "/proc/sys/vm/stat_interval";
  const auto before = files->Read(path);
  ASSERT_TRUE(files->Write(path, "7"));
  EXPECT_THAT((*domain)->DescribeRestore(), HasSubstr("NOT as before: vm.stat_interval = 7"));
  ASSERT_TRUE(files->Write(path, *before));
}

}  // namespace
}  // namespace hone
