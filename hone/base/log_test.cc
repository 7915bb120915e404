// SPDX-License-Identifier: Apache-2.0
#include "hone/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace hone {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

template <typename Body>
std::string ErrorsOf(Body body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

TEST(LogTest, ALineHasTimeLevelAndText) {
  EXPECT_THAT(ErrorsOf([] { Log(LogLevel::kNote, "{} of {}", 1, 2); }),
              MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9:.]+Z note: 1 of 2\n"));
  EXPECT_THAT(ErrorsOf([] { Log(LogLevel::kWarning, "x"); }), HasSubstr(" warning: x"));
  EXPECT_THAT(ErrorsOf([] { Log(LogLevel::kError, "x"); }), HasSubstr(" error: x"));
}

TEST(LogTest, NothingGoesToStandardOutput) {
  testing::internal::CaptureStdout();
  ErrorsOf([] { Log(LogLevel::kError, "x"); });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(LogTest, TheLeastLevelIsObeyed) {
  const std::string errors = ErrorsOf([] {
    Log(LogLevel::kDebug, "one");
    SetLogLevel(LogLevel::kError);
    Log(LogLevel::kWarning, "two");
    SetLogLevel(LogLevel::kDebug);
    Log(LogLevel::kDebug, "three");
    SetLogLevel(LogLevel::kNote);
  });
  EXPECT_THAT(errors, Not(HasSubstr("one")));
  EXPECT_THAT(errors, Not(HasSubstr("two")));
  EXPECT_THAT(errors, HasSubstr(" debug: three"));
}

TEST(LogTest, AMessageStaysOneLineAndCannotDriveTheTerminal) {
  const std::string errors = ErrorsOf([] { LogLine(LogLevel::kNote, "a\nb\x1b[2J{}é"); });
  EXPECT_THAT(errors, HasSubstr("note: a\\nb\\x1b[2J{}é\n"));
}

TEST(LogTest, LinesOfSeveralThreadsDoNotMix) {
  const std::string errors = ErrorsOf([] {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int k = 0; k < 100; ++k) LogLine(LogLevel::kNote, std::string(50, 'x'));
      });
    }
  });
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 400);
  std::size_t at = 0;
  for (int i = 0; i < 400; ++i) {
    at = errors.find(" note: " + std::string(50, 'x') + "\n", at);
    ASSERT_NE(at, std::string::npos);
    ++at;
  }
}

}  // namespace
}  // namespace hone
