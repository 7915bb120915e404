// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/campaign_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

tune::Proof PointWith(const Limit& limit, const Interval& margin, bool is_gain) {
  tune::Proof point;
  point.adjusted_p = 0.01;
  point.is_gain = is_gain;
  const double middle = (margin.low + margin.high) / 2;
  point.limits.push_back({limit, {middle, margin, 0.01, 12}, margin.low >= 0});
  return point;
}

CampaignSummary FrontSummary() {
  const Limit limit{"p99_ms", true, 20, false};
  CampaignSummary summary;
  summary.verdict.emplace();
  summary.verdict->kind = tune::Verdict::Kind::kFront;
  summary.verdict->front = {PointWith(limit, {0.28, 0.3}, true),
                            PointWith(limit, {-0.2, 0.1}, false)};
  return summary;
}

TEST(CampaignTextFrontTest, EveryPointOfAFrontTellsItsLimits) {
  const std::string text = VerdictText(FrontSummary(), Ink(false));
  EXPECT_THAT(text, HasSubstr("Limits\n"
                              "  point 1  p99_ms <= 20  holds              "
                              "29.0 % to spare [+28.0 %, +30.0 %]\n"
                              "  point 2  p99_ms <= 20  not shown to hold  "
                              "-5.0 % to spare [-20.0 %, +10.0 %]\n"));
}

TEST(CampaignTextFrontTest, APointThatOnlyALimitKeepsFromAGainSaysSo) {
  CampaignSummary summary = FrontSummary();
  EXPECT_THAT(VerdictText(summary, Ink(false)), HasSubstr("not shown (limit)"));
  for (tune::Proof& point : summary.verdict->front) point.limits.clear();
  EXPECT_THAT(VerdictText(summary, Ink(false)),
              AllOf(HasSubstr("not shown"), Not(HasSubstr("(limit)")), Not(HasSubstr("Limits"))));
}

}  // namespace
}  // namespace hone::cli
