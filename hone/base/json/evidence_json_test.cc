// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/evidence_json.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(EvidenceJsonTest, WhatIsAttachedIsFoundAgain) {
  const Json times = {{"load", 12.5}, {"order", {"load"}}};
  const std::vector<Evidence> all = {{"log", "text"}, MakeJsonEvidence("phases", times)};
  EXPECT_EQ(FindJsonEvidence(all, "phases"), times);
  EXPECT_EQ(ReadJsonEvidence(all[1]), times);
  EXPECT_EQ(*FindEvidence(all, "phases"), R"({"load":12.5,"order":["load"]})");
}

TEST(EvidenceJsonTest, TextThatIsNoObjectIsNull) {
  const std::vector<Evidence> all = {{"log", "text"}, {"list", "[1]"}, {"cut", "{\"a\":"}};
  for (const Evidence& one : all) EXPECT_TRUE(FindJsonEvidence(all, one.what).is_null());
  EXPECT_TRUE(FindJsonEvidence(all, "phases").is_null());
  EXPECT_EQ(FindEvidence(all, "phases"), nullptr);
}

TEST(EvidenceJsonTest, LinesThatTheReasonQuotesAreNotRepeated) {
  EXPECT_EQ(WithoutSeenLines("out[0]: expected 1\n3 of 8 differ", "wrong: out[0]: expected 1"),
            "3 of 8 differ");
  EXPECT_EQ(WithoutSeenLines("{\n}\n", "a { b }"), "{\n}");
  EXPECT_EQ(WithoutSeenLines("", "x"), "");
}

}  // namespace
}  // namespace hone
