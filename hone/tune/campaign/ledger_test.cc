// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/ledger.h"

#include <gtest/gtest.h>

namespace hone::tune {
namespace {

Decision Ask(int trial) { return {"ask", {{"trial", trial}}, {{"because", 0.1}}}; }

TEST(LedgerTest, NewDecisionsGoToTheSinkWithTheirPlace) {
  std::vector<std::size_t> places;
  Ledger ledger({}, [&](std::size_t index, const Decision&) -> Result<void> {
    places.push_back(index);
    return {};
  });
  ASSERT_TRUE(ledger.Record(Ask(0)));
  ASSERT_TRUE(ledger.Record(Ask(1)));
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 1}));
}

TEST(LedgerTest, StoredDecisionsAreWalkedThroughAndNotStoredAgain) {
  int stored = 0;
  Ledger ledger({Ask(0), Ask(1)}, [&](std::size_t, const Decision&) -> Result<void> {
    ++stored;
    return {};
  });
  EXPECT_FALSE(ledger.IsPastStored());
  ASSERT_TRUE(ledger.Record(Ask(0)));
  ASSERT_TRUE(ledger.Record(Ask(1)));
  EXPECT_TRUE(ledger.IsPastStored());
  EXPECT_EQ(stored, 0);
  ASSERT_TRUE(ledger.Record(Ask(2)));
  EXPECT_EQ(stored, 1);
}

TEST(LedgerTest, AnotherChoiceThanTheStoredOneIsCorruptAndBothAreNamed) {
  Ledger ledger({Ask(0)});
  const auto recorded = ledger.Record(Ask(7));
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error().code, Errc::kCorrupt);
  EXPECT_NE(recorded.error().message.find("{\"trial\":0}"), std::string::npos);
  EXPECT_NE(recorded.error().message.find("{\"trial\":7}"), std::string::npos);
}

TEST(LedgerTest, OtherGroundsForTheSameChoiceAreFine) {
  Ledger ledger({Ask(0)});
  Decision again = Ask(0);
  again.grounds["because"] = 0.2;
  EXPECT_TRUE(ledger.Record(again));
}

TEST(LedgerTest, NextIsLooksAtStoredDecisionsOnly) {
  Ledger ledger({Ask(0), {"stop", {}, {}}});
  EXPECT_FALSE(ledger.NextIs(DecisionKind::kStop));
  ASSERT_TRUE(ledger.Record(Ask(0)));
  EXPECT_TRUE(ledger.NextIs(DecisionKind::kStop));
  ASSERT_TRUE(ledger.Record({"stop", {}, {}}));
  EXPECT_FALSE(ledger.NextIs(DecisionKind::kStop));
}

TEST(LedgerTest, SinkThatFailsKeepsTheDecisionOut) {
  Ledger ledger({}, [](std::size_t, const Decision&) -> Result<void> {
    return Error{Errc::kUnavailable, "disk full"};
  });
  EXPECT_FALSE(ledger.Record(Ask(0)));
  EXPECT_TRUE(ledger.decisions().empty());
}

}  // namespace
}  // namespace hone::tune
