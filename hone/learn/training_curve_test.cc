// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/training_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string_view>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::learn {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(TrainingCurveTest, ACurveGoesOnWhereThePolicyWasSaved) {
  const auto folder = TempDir::Make("curve");
  ASSERT_TRUE(folder);
  auto first = TrainingCurve::Open(folder->path(), 0, kNow);
  ASSERT_TRUE(first) << first.error().message;
  for (const std::int64_t steps : {256, 512, 768}) ASSERT_TRUE(first->Append(Report(steps), kNow));
  std::ofstream(folder->path() / "progress.csv", std::ios::app) << "1024,cut off";
  auto second = TrainingCurve::Open(folder->path(), 512, kNow + std::chrono::seconds(9));
  ASSERT_TRUE(second) << second.error().message;
  ASSERT_TRUE(second->Append(Report(700), kNow));
  const std::string text = *ReadFile(folder->path() / "progress.csv");
  EXPECT_THAT(text, ::testing::StartsWith("time/total_timesteps,rollout/ep_rew_mean,"));
  EXPECT_THAT(text, HasSubstr("\n256,22.5,,"));
  EXPECT_THAT(text, HasSubstr("\n512,22.5,,"));
  EXPECT_THAT(text, HasSubstr("\n700,22.5,,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(TrainingCurveTest, ACurveIsReadAsItWasWritten) {
  const auto folder = TempDir::Make("curve");
  ASSERT_TRUE(folder);
  auto curve = TrainingCurve::Open(folder->path(), 0, kNow);
  for (const std::int64_t steps : {256, 512}) ASSERT_TRUE(curve->Append(Report(steps), kNow));
  std::ofstream(folder->path() / "progress.csv", std::ios::app) << "768,none,\n1024,cut off";
  const auto rows = ReadTrainingCurve(folder->path());
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 3U);
  EXPECT_EQ((*rows)[0], RowOf(Report(256)));
  EXPECT_EQ((*rows)[1], RowOf(Report(512)));
  EXPECT_EQ((*rows)[1][2], std::nullopt);
  EXPECT_EQ((*rows)[2][0], 768);
  EXPECT_EQ((*rows)[2][1], std::nullopt);
  EXPECT_EQ((*rows)[2].size(), CurveColumns().size());
  EXPECT_EQ(ReadTrainingCurve(folder->path() / "none").error().code, Errc::kNotFound);
}

TEST(TrainingCurveTest, ATrainingThatBeginsAnewBeginsItsFile) {
  const auto folder = TempDir::Make("curve");
  ASSERT_TRUE(folder);
  for (const std::int64_t steps : {256, 512}) {
    ASSERT_TRUE(TrainingCurve::Open(folder->path(), 0, kNow)->Append(Report(steps), kNow));
  }
  const std::string text = *ReadFile(folder->path() / "progress.csv");
  EXPECT_THAT(text, Not(HasSubstr("\n256,")));
  EXPECT_THAT(text, HasSubstr("\n512,"));
}

// An event file read back by a reader that shares nothing with the writer: the framing of TFRecord
// (length, masked CRC-32C of it, content, masked CRC-32C of that) and the fields of
// tensorflow.Event as its public .proto files number them.
class EventReader {
 public:
  struct Scalar {
    std::string tag;
    float value = 0;
  };
  struct Event {
    double wall_time = 0;
    std::uint64_t step = 0;
    std::string file_version;
    std::uint64_t session_status = 0;
    std::vector<Scalar> scalars;
  };

  static std::vector<Event> Read(std::string_view bytes) {
    std::vector<Event> events;
    while (!bytes.empty()) {
      const auto length = Number<std::uint64_t>(bytes);
      EXPECT_EQ(Number<std::uint32_t>(bytes.substr(8)), MaskedCrc(bytes.substr(0, 8)));
      if (length + 16 > bytes.size()) {
        ADD_FAILURE() << "a record of " << length << " bytes goes beyond the file";
        return events;
      }
      const std::string_view content = bytes.substr(12, length);
      EXPECT_EQ(Number<std::uint32_t>(bytes.substr(12 + length)), MaskedCrc(content));
      events.push_back(ReadEvent(content));
      bytes.remove_prefix(length + 16);
    }
    return events;
  }

 private:
  template <typename T>
  static T Number(std::string_view bytes) {
    T number{};
    if (bytes.size() < sizeof(T)) {
      ADD_FAILURE() << "the file ends in mid-record";
      return number;
    }
    std::memcpy(&number, bytes.data(), sizeof(T));
    return number;
  }

  static std::uint32_t MaskedCrc(std::string_view bytes) {
    std::uint32_t crc = 0xffffffff;  // Bit by bit, by the polynomial x^32 + x^28 + … as reversed.
    for (const char byte : bytes) {
      crc ^= static_cast<std::uint8_t>(byte);
      for (int i = 0; i < 8; ++i) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
    }
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8;
  }

  static std::uint64_t Varint(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return number;
  }

  // Calls `visit` with each field's number and its content: of a varint its value in 8 bytes.
  template <typename Visit>
  static void ForEachField(std::string_view message, Visit visit) {
    while (!message.empty()) {
      const std::uint64_t key = Varint(message);
      std::uint64_t size = 0;
      std::string held;
      switch (key & 7) {
        case 0: {
          const std::uint64_t number = Varint(message);
          held.assign(reinterpret_cast<const char*>(&number), sizeof(number));
          visit(key >> 3, std::string_view(held));
          continue;
        }
        case 1:
          size = 8;
          break;
        case 2:
          size = Varint(message);
          break;
        case 5:
          size = 4;
          break;
        default:
          ADD_FAILURE() << "wire type " << (key & 7);
          return;
      }
      ASSERT_LE(size, message.size());
      visit(key >> 3, message.substr(0, size));
      message.remove_prefix(size);
    }
  }

  static Scalar ReadValue(std::string_view message) {
    Scalar scalar;
    ForEachField(message, [&](std::uint64_t field, std::string_view content) {
      if (field == 1) scalar.tag = content;
      if (field == 2) scalar.value = Number<float>(content);
    });
    return scalar;
  }

  static Event ReadEvent(std::string_view message) {
    Event event;
    ForEachField(message, [&](std::uint64_t field, std::string_view content) {
      if (field == 1) event.wall_time = Number<double>(content);
      if (field == 2) event.step = Number<std::uint64_t>(content);
      if (field == 3) event.file_version = content;
      if (field == 5) {
        ForEachField(content, [&](std::uint64_t, std::string_view value) {
          event.scalars.push_back(ReadValue(value));
        });
      }
      if (field == 7) {
        ForEachField(content, [&](std::uint64_t, std::string_view status) {
          event.session_status = Number<std::uint64_t>(status);
        });
      }
    });
    return event;
  }
};

std::vector<EventReader::Event> EventsIn(const std::filesystem::path& folder, int seconds) {
  const auto file = folder / ("events.out.tfevents." + std::to_string(seconds) + ".hone");
  return EventReader::Read(*ReadFile(file));
}

TEST(EventFileTest, AnotherReaderFindsEveryScalarAtItsStep) {
  const auto folder = TempDir::Make("events");
  ASSERT_TRUE(folder);
  auto curve = TrainingCurve::Open(folder->path(), 0, kNow);
  ASSERT_TRUE(curve);
  for (const std::int64_t steps : {std::int64_t{128}, std::int64_t{100'000'000'000}}) {
    ASSERT_TRUE(curve->Append(Report(steps), kNow + std::chrono::milliseconds(1500)));
  }
  const auto events = EventsIn(folder->path(), 1'700'000'000);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 128U);
  EXPECT_EQ(events[2].step, 100'000'000'000U);
  EXPECT_DOUBLE_EQ(events[1].wall_time, 1'700'000'001.5);
  const auto expected = Scalars(Report(128));
  ASSERT_EQ(events[1].scalars.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(events[1].scalars[i].tag, expected[i].first);
    EXPECT_FLOAT_EQ(events[1].scalars[i].value, static_cast<float>(expected[i].second));
  }
}

TEST(EventFileTest, AFileThatGoesOnVoidsWhatCameAfterTheSavedPolicy) {
  const auto folder = TempDir::Make("events");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(TrainingCurve::Open(folder->path(), 512, kNow));
  const auto events = EventsIn(folder->path(), 1'700'000'000);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].step, 513U);
  EXPECT_EQ(events[1].session_status, 1U);  // SessionLog.START
}

TEST(TrainingCurveTest, AFolderThatCannotBeWrittenToIsNamed) {
  const auto curve = TrainingCurve::Open("/proc/none", 0, kNow);
  ASSERT_FALSE(curve);
  EXPECT_THAT(curve.error().message, HasSubstr("/proc/none"));
}

}  // namespace
}  // namespace hone::learn
