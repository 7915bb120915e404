// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/parse_values.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

using std::chrono::milliseconds;

TEST(ParseValuesTest, DurationsHaveUnits) {
  EXPECT_EQ(*ParseDuration("--time", "250ms"), milliseconds(250));
  EXPECT_EQ(*ParseDuration("--time", "90s"), milliseconds(90'000));
  EXPECT_EQ(*ParseDuration("--time", "10m"), milliseconds(600'000));
  EXPECT_EQ(*ParseDuration("--time", "1.5h"), milliseconds(5'400'000));
  EXPECT_EQ(*ParseDuration("--time", "2"), milliseconds(2'000));
  EXPECT_EQ(*ParseDuration("--time", " 3 s "), milliseconds(3'000));
}

TEST(ParseValuesTest, RefusedDurationsNameTheFlagAndWhatIsExpected) {
  for (const char* text : {"", "s", "-1s", "ten", "5 minutes", "nan", "1e30h"}) {
    const auto parsed = ParseDuration("--time", text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::kInvalidArgument);
    EXPECT_EQ(parsed.error().message.find("--time: expected a time such as 90s"), 0U)
        << parsed.error().message;
  }
}

TEST(ParseValuesTest, SharesArePercentOrNot) {
  EXPECT_DOUBLE_EQ(*ParseShare("--confidence", "95%"), 0.95);
  EXPECT_DOUBLE_EQ(*ParseShare("--confidence", "0.95"), 0.95);
  EXPECT_DOUBLE_EQ(*ParseShare("--confidence", "2.5 %"), 0.025);
  EXPECT_FALSE(ParseShare("--confidence", "%"));
  EXPECT_FALSE(ParseShare("--confidence", "inf"));
}

TEST(ParseValuesTest, CountsAreWholeAndInRange) {
  EXPECT_EQ(*ParseCount("--trials", "40", 1), 40);
  EXPECT_FALSE(ParseCount("--trials", "0", 1));
  EXPECT_FALSE(ParseCount("--trials", "4.5", 1));
  EXPECT_FALSE(ParseCount("--trials", "99999999999999999999", 1));
  EXPECT_EQ(ParseCount("--workers", "9", 1, 8).error().message,
            "--workers: expected a whole number, 1 to 8, found \"9\"");
}

TEST(ParseValuesTest, SeedsUseAllBits) {
  EXPECT_EQ(*ParseSeed("--seed", "18446744073709551615"), 18446744073709551615U);
  EXPECT_FALSE(ParseSeed("--seed", "-1"));
  EXPECT_FALSE(ParseSeed("--seed", "18446744073709551616"));
}

TEST(ParseValuesTest, SettingsSplitAtTheFirstSign) {
  const auto setting = ParseSetting("-o", "command=a=b");
  ASSERT_TRUE(setting);
  EXPECT_EQ(setting->first, "command");
  EXPECT_EQ(setting->second, "a=b");
  EXPECT_EQ(ParseSetting("-o", "noise=")->second, "");
  EXPECT_FALSE(ParseSetting("-o", "noise"));
  EXPECT_FALSE(ParseSetting("-o", "=5"));
}

TEST(ParseValuesTest, LimitsAreAbsoluteOrRelative) {
  EXPECT_EQ(*ParseLimit("--limit", "p99_ms<=20"), (Limit{"p99_ms", true, 20, false}));
  EXPECT_EQ(*ParseLimit("--limit", "p99_ms <= 1.05x"), (Limit{"p99_ms", true, 1.05, true}));
  EXPECT_EQ(*ParseLimit("--limit", "throughput>=0.98x"), (Limit{"throughput", false, 0.98, true}));
  for (const char* text : {"p99_ms<20", "p99_ms=20", "<=20", "p99_ms<=", "p99_ms<=fast"}) {
    EXPECT_FALSE(ParseLimit("--limit", text)) << text;
  }
}

TEST(ParseValuesTest, ObjectivesMayHaveWeights) {
  EXPECT_EQ(ParseObjective("--objective", "throughput")->weight, 1);
  const auto weighted = ParseObjective("--objective", "latency_ms:2.5");
  ASSERT_TRUE(weighted);
  EXPECT_EQ(weighted->metric, "latency_ms");
  EXPECT_EQ(weighted->weight, 2.5);
  EXPECT_FALSE(ParseObjective("--objective", "latency_ms:0"));
  EXPECT_FALSE(ParseObjective("--objective", ":2"));
}

}  // namespace
}  // namespace hone
