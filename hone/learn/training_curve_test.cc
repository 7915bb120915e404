// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/training_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

constexpr WallTime kNow{std::chrono::seconds{1'700'000'000}};

TrainReport Report(std::int64_t steps) {
  TrainReport report;
  report.steps = steps;
  report.mean_reward = 22.5;
  report.update.approx_kl = 0.01;
  return report;
}

TEST(Crc32cTest, KnownValues) {  // RFC 3720, B.4.
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
}

// Bytes that TensorBoard's own writer gives for the same event.
TEST(EventRecordTest, AScalarIsWrittenAsProtocolBuffersHaveIt) {
  const std::string record = EventRecord(WallTime{std::chrono::seconds{0}}, 300, {{"a", 1.0}});
  const std::string content(
      "\x09\0\0\0\0\0\0\0\0\x10\xac\x02\x2a\x0a\x0a\x08\x0a\x01"
      "a\x15\0\0\x80\x3f",
      24);
  ASSERT_EQ(record.size(), 8 + 4 + content.size() + 4);
  EXPECT_EQ(record.substr(12, content.size()), content);
  EXPECT_EQ(record.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
}

TEST(TrainingCurveTest, ACurveGoesOnInItsFile) {
  const auto folder = TempDir::Make("curve");
  ASSERT_TRUE(folder);
  for (const std::int64_t steps : {256, 512}) {
    auto curve = TrainingCurve::Open(folder->path(), kNow);
    ASSERT_TRUE(curve) << curve.error().message;
    ASSERT_TRUE(curve->Append(Report(steps), kNow));
  }
  const std::string text = *ReadFile(folder->path() / "progress.csv");
  EXPECT_THAT(text, ::testing::StartsWith("time/total_timesteps,rollout/ep_rew_mean,"));
  EXPECT_THAT(text, HasSubstr("\n256,22.5,,"));
  EXPECT_THAT(text, HasSubstr("\n512,22.5,,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(TrainingCurveTest, AFolderThatCannotBeWrittenToIsNamed) {
  const auto curve = TrainingCurve::Open("/proc/none", kNow);
  ASSERT_FALSE(curve);
  EXPECT_THAT(curve.error().message, HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace hone
