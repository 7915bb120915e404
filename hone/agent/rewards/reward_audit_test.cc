// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/rewards/reward_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "hone/agent/rewards/audit_policies.h"
#include "hone/base/file.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const AuditCell& CellOf(const RewardAudit& audit, const std::string& policy, QuestionKind kind) {
  for (const AuditRow& row : audit.answers) {
    if (row.policy == policy) return row.cells[static_cast<std::size_t>(kind)];
  }
  ADD_FAILURE() << "no policy " << policy;
  return audit.answers.front().cells.front();
}

TEST(RewardAuditTest, OurRulesHoldWithEverySeed) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto audit = AuditRewards({.questions = 30, .seed = seed});
    ASSERT_TRUE(audit) << audit.error().message;
    EXPECT_THAT(audit->broken, IsEmpty());
  }
}

TEST(RewardAuditTest, TheDefectsOfOsR1AreSeen) {
  const auto audit = AuditRewards();
  ASSERT_TRUE(audit);
  EXPECT_NEAR(*CellOf(*audit, "perfect", QuestionKind::kChoice).theirs, 0.2, 1e-9);
  EXPECT_NEAR(*CellOf(*audit, "perfect", QuestionKind::kValue).theirs, 0, 1e-9);
  EXPECT_EQ(*CellOf(*audit, "lists everything", QuestionKind::kMenu).theirs,
            *CellOf(*audit, "perfect", QuestionKind::kMenu).theirs);
  EXPECT_GT(*CellOf(*audit, "all unknown", QuestionKind::kBool).theirs, 0.7);
  EXPECT_FALSE(CellOf(*audit, "perfect", QuestionKind::kTristate).theirs);
}

// Whether the right answer decides something.
bool WantsChange(const Label& label) {
  return std::any_of(label.items.begin(), label.items.end(),
                     [](const ItemLabel& item) { return item.right != RightMove::kKeep; });
}

// Between them the questions ask everything: each right answer is one that a label accepts.
TEST(RewardAuditTest, QuestionsAreSoundAndTheSameForASeed) {
  for (const QuestionKind kind : {QuestionKind::kBool, QuestionKind::kTristate, QuestionKind::kMenu,
                                  QuestionKind::kChoice, QuestionKind::kValue}) {
    const auto first = MakeAuditQuestions(kind, 50, 9);
    const auto again = MakeAuditQuestions(kind, 50, 9);
    std::size_t still = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_TRUE(CheckLabel(first[i].question, first[i].label));
      EXPECT_EQ(first[i].question, again[i].question);
      if (!WantsChange(first[i].label)) ++still;
    }
    EXPECT_EQ(still, 10U);
  }
}

TEST(RewardAuditTest, JsonHasEveryCell) {
  const auto audit = AuditRewards({.questions = 5, .seed = 1});
  const Json json = ToJson(*audit);
  EXPECT_EQ(json["answers"].size(), AuditPolicies().size());
  EXPECT_TRUE(json["answers"][0]["kinds"]["Tristate"]["os_r1"].is_null());
  EXPECT_FALSE(AuditRewards({.questions = 0, .seed = 1}));
}

// HONE_UPDATE_GOLDEN=1 writes the tables into the page.
TEST(RewardAuditTest, ThePageShowsWhatTheProgramPrints) {
  const auto audit = AuditRewards();
  ASSERT_TRUE(audit);
  const std::string begin = "<!-- hone rewards audit -->\n";
  const std::string end = "<!-- end -->";
  auto page = ReadFile(HONE_REWARDS_PAGE);
  ASSERT_TRUE(page) << page.error().message;
  const auto from = page->find(begin);
  const auto to = page->find(end);
  ASSERT_TRUE(from != page->npos && to != page->npos && from < to);
  const auto first = from + begin.size();
  if (std::getenv("HONE_UPDATE_GOLDEN") != nullptr) {
    page->replace(first, to - first, ToMarkdown(*audit));
    ASSERT_TRUE(WriteFileDurably(HONE_REWARDS_PAGE, *page));
    return;
  }
  EXPECT_EQ(page->substr(first, to - first), ToMarkdown(*audit));
}

}  // namespace
}  // namespace hone::agent
