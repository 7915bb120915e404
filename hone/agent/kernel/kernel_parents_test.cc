// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_parents.h"

#include <gtest/gtest.h>

#include <set>

namespace hone::agent {
namespace {

KernelAttempt AttemptOf(std::int64_t number, double low, std::string source = "int a;") {
  return {
      .number = number,
      .source = std::move(source),
      .verdict = {.outcome = Outcome::kAccepted, .speedup = Speedup{low + 0.1, low, low + 0.2}}};
}

TEST(BestWindowTest, IsTheRunOfAttemptsThatIsWorthMost) {
  const std::vector<KernelAttempt> line = {AttemptOf(0, 1), AttemptOf(1, 3), AttemptOf(2, 2),
                                           AttemptOf(3, 0.5)};
  const auto window = BestWindow(line, 2);
  ASSERT_EQ(window.size(), 2U);
  EXPECT_EQ(window[0].number, 1);
  EXPECT_EQ(BestWindow(line, 9).size(), 4U);
}

TEST(BestWindowTest, OfEqualOnesItIsTheLatest) {
  const std::vector<KernelAttempt> line = {AttemptOf(0, 1), AttemptOf(1, 1), AttemptOf(2, 1)};
  EXPECT_EQ(BestWindow(line, 1)[0].number, 2);
}

TEST(KernelArchiveTest, KeepsTheBestOfEachKind) {
  KernelArchive archive;
  archive.Add(AttemptOf(0, 1, "plain"));
  archive.Add(AttemptOf(1, 2, "plain too"));
  archive.Add(AttemptOf(2, 1.5, "_mm256_add_ps"));
  KernelAttempt wrong = AttemptOf(3, 9, "plain and wrong");
  wrong.verdict.outcome = Outcome::kWrong;
  archive.Add(wrong);
  std::set<std::int64_t> drawn;
  Rng rng(1);
  for (int i = 0; i < 100; ++i) drawn.insert(archive.Draw(rng).number);
  EXPECT_EQ(drawn, (std::set<std::int64_t>{1, 2}));
}

TEST(NicheOfTest, TellsRoadsApart) {
  EXPECT_EQ(NicheOf("for (;;);"), "0");
  EXPECT_EQ(NicheOf("_mm_add_ps(); vector_size"), "0+vectors");
  EXPECT_EQ(NicheOf(std::string(5'000, ' ') + "std::thread"), "2+threads");
}

}  // namespace
}  // namespace hone::agent
