// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/known_option_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::app {
namespace {

using testing::HasSubstr;

TEST(KnownOptionFactsTest, KnowledgeBecomesLabels) {
  const auto facts = KnownOptionFacts("throughput");
  ASSERT_TRUE(facts) << facts.error().message;
  const agent::OptionFact& orc = facts->options.at("UNWINDER_ORC");
  EXPECT_EQ(orc.right, agent::RightMove::kSet);
  EXPECT_EQ(orc.accepted.front().value, "y");
  EXPECT_EQ(orc.source.origin, agent::LabelOrigin::kKnowledge);
  EXPECT_FALSE(facts->are_whole);
}

TEST(KnownOptionFactsTest, WhatIsProtectedStays) {
  const auto facts = KnownOptionFacts("throughput");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->options.at("CPU_SRSO").right, agent::RightMove::kKeep);
  EXPECT_THAT(facts->options.at("CPU_SRSO").source.evidence, HasSubstr("security"));
}

TEST(KnownOptionFactsTest, AnUnknownAimIsNamed) {
  const auto facts = KnownOptionFacts("throughputt");
  ASSERT_FALSE(facts);
  EXPECT_THAT(facts.error().message, HasSubstr("did you mean throughput?"));
}

}  // namespace
}  // namespace hone::app
