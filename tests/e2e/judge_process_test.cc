// SPDX-License-Identifier: Apache-2.0
// Judges in processes of their own, as `hone` starts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/compute_domain.h"
#include "hone/domains/domain_contract.h"
#include "hone/testing/wait_until.h"

namespace hone {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kRight =
    "extern \"C\" void kernel(const float* a, const float* b, float* out, int64_t n) {\n"
    "  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];\n}\n";

// Its arrays have 800 MiB; the judge of these tests may use 512.
constexpr const char* kLarge = R"({"name": "large", "sizes": ["n"], "shapes": [{"n": 70000000}],
  "reference": "extern \"C\" void kernel(const float* a, const float* b, float* out, int64_t n) { for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i]; }",
  "inputs": [{"name": "a", "dtype": "f32", "shape": ["n"]},
             {"name": "b", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

const DomainEntry& EntryElsewhere() {
  static const auto folder = TempDir::Make("hone-judge-e2e").value();
  static const DomainEntry entry = [] {
    ::setenv("HONE_JUDGE_MEMORY_MIB", "512", 1);
    return ComputeDomainEntry({folder.path(), {}, HONE_BINARY});
  }();
  return entry;
}

Result<RunResult> JudgeElsewhere(const Options& options, const std::string& source) {
  auto domain = MakeDomain({{"compute", EntryElsewhere()}}, "compute", options);
  if (!domain) return domain.error();
  auto session = (*domain)->Open();
  if (!session) return session.error();
  const Candidate candidate{{}, source};
  auto prepared = (*session)->Prepare(candidate);
  if (!prepared || prepared->outcome != Outcome::kAccepted) return prepared;
  return (*session)->Run({Arm::kCandidate, candidate, 1, 0, seconds{60}, {}});
}

void ExpectAnHonestVerdict() {
  const auto right = JudgeElsewhere({{"problem", "vector_add"}, {"samples", "10"}}, kRight);
  ASSERT_TRUE(right) << right.error().message;
  EXPECT_EQ(right->outcome, Outcome::kAccepted) << right->reason;
  EXPECT_GT(right->sample.metrics.at("speedup").value, 0);
}

// The processes that this one has started and that are judges.
std::vector<pid_t> Judges() {
  std::vector<pid_t> judges;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (pid_t pid = 0; children >> pid;) {
      std::ifstream command("/proc/" + std::to_string(pid) + "/cmdline");
      const std::string words((std::istreambuf_iterator<char>(command)), {});
      if (words.find("judge-process") != words.npos) judges.push_back(pid);
    }
  }
  return judges;
}

TEST(JudgeProcessE2eTest, OneThatRunsOutOfMemoryIsReplaced) {
  ExpectAnHonestVerdict();
  const auto refused = JudgeElsewhere({{"problem_text", kLarge}}, kRight);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("ran out of memory: it may use 512 MiB"));
  ExpectAnHonestVerdict();
}

TEST(JudgeProcessE2eTest, OneThatIsKilledWhileItRunsIsAFailureOfTheServiceAndReplaced) {
  auto domain = MakeDomain({{"compute", EntryElsewhere()}}, "compute", {{"problem", "vector_add"}});
  ASSERT_TRUE(domain);
  auto session = (*domain)->Open();
  ASSERT_TRUE(session);
  const Candidate endless{
      {},
      std::string(kRight).insert(std::string(kRight).find("for"), "for(;;)asm volatile(\"\");")};
  ASSERT_EQ((*session)->Prepare(endless)->outcome, Outcome::kAccepted);
  const std::vector<pid_t> judges = Judges();
  ASSERT_EQ(judges.size(), 1U);
  std::jthread killer([&] { ::kill(judges[0], SIGKILL); });
  const auto result = (*session)->Run({Arm::kCandidate, endless, 1, 0, seconds{60}, {}});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("died by SIGKILL"));
  session->reset();
  EXPECT_TRUE(Judges().empty());
  ExpectAnHonestVerdict();
}

TEST(JudgeProcessE2eTest, SessionsOneAfterTheOtherShareAJudge) {
  ExpectAnHonestVerdict();
  const auto first = Judges();
  ExpectAnHonestVerdict();
  EXPECT_EQ(Judges(), first);
  EXPECT_EQ(first.size(), 1U);
}

DomainExam ExamElsewhere() {
  DomainExam exam;
  exam.entry = EntryElsewhere();
  exam.options = {{"problem", "vector_add"}, {"timing_budget_ms", "20"}};
  exam.sources = {kRight, "", "nonsense", std::string("a\0b", 3)};
  exam.slow_options = {{"samples", "1000000"}, {"timing_budget_ms", "3600000"}, {"precision", "0"}};
  return exam;
}

INSTANTIATE_TEST_SUITE_P(ComputeElsewhere, DomainContract,
                         DomainContractCases({{"VectorAdd", ExamElsewhere()}}), NameOfDomainCase);

}  // namespace
}  // namespace hone
