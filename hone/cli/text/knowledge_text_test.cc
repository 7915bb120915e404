// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/knowledge_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace hone::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

agent::MeasuredEffect Effect(agent::EffectOrigin origin, double low, double high) {
  agent::MeasuredEffect effect;
  effect.campaign = "memory-3";
  effect.ended = WallTime{std::chrono::seconds{1'700'000'000}};
  effect.origin = origin;
  effect.name = "vm.swappiness";
  effect.from = "60";
  effect.to = "10";
  effect.metric = "mops_per_s";
  effect.effect = {.effect = 0.0953, .interval = {low, high}, .p_value = 0.01, .count = 24};
  return effect;
}

TEST(KnowledgeTextTest, AnEffectIsTheValueTheIntervalHowAndWhereAndWhenItWasMeasured) {
  const std::string text = EffectsText({Effect(agent::EffectOrigin::kProof, 0.05, 0.15)});
  for (const char* part : {"vm.swappiness", "60", "10", "mops_per_s", "+10.0 %",
                           "[+5.1 %, +16.2 %]", "24", "proof", "memory-3", "2023-11-14"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("may be nothing")));
}

TEST(KnowledgeTextTest, ATrialIsToldAsOneAndADoubtfulOneAsSuch) {
  const std::string text = EffectsText({Effect(agent::EffectOrigin::kTrial, -0.05, 0.15)});
  EXPECT_THAT(text, HasSubstr("trial"));
  EXPECT_THAT(text, HasSubstr("may be nothing"));
}

TEST(KnowledgeTextTest, NothingOfACampaignMovesTheTerminal) {
  auto effect = Effect(agent::EffectOrigin::kProof, 0.05, 0.15);
  effect.name = "a\x1b[2Jb";
  EXPECT_THAT(EffectsText({effect}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace hone::cli
