// SPDX-License-Identifier: Apache-2.0
#include "hone/base/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "hone/base/json/json.h"

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

TEST(LogTest, AnEventHasItsFieldsBehindIt) {
  EXPECT_THAT(ErrorsOf([] {
                LogEvent(LogLevel::kNote, "settled",
                         {{"task", "t-1"},
                          {"reason", "no \"luck\"\ntoday"},
                          {"ms", 1.5},
                          {"n", 3},
                          {"none", ""}});
              }),
              HasSubstr(" note: settled task=t-1 reason=\"no \\\"luck\\\"\\ntoday\" ms=1.5 n=3\n"));
  EXPECT_EQ(ErrorsOf([] { LogEvent(LogLevel::kDebug, "hidden", {}); }), "");
}

TEST(LogTest, AsJsonEveryLineIsAnObject) {
  const std::string errors = ErrorsOf([] {
    SetLogForm(LogForm::kJson);
    LogEvent(LogLevel::kWarning, "given back",
             {{"task", "a\x1b\"\xff"}, {"ms", 2}, {"rate", std::nan("")}});
    LogLine(LogLevel::kError, "a sentence,\nwith a break");
    SetLogForm(LogForm::kText);
    Log(LogLevel::kNote, "text again");
  });
  std::istringstream lines(errors);
  std::string line;
  std::getline(lines, line);
  const auto event = ParseJson(line, "log");
  ASSERT_TRUE(event) << event.error().message << ": " << line;
  EXPECT_THAT((*event)["at"].get<std::string>(), MatchesRegex("[0-9-]+T[0-9:.]+Z"));
  EXPECT_EQ((*event)["level"], "warning");
  EXPECT_EQ((*event)["event"], "given back");
  EXPECT_EQ((*event)["task"], "a\x1b\"\xef\xbf\xbd");
  EXPECT_EQ((*event)["ms"], 2);
  EXPECT_EQ((*event)["rate"], "nan");
  std::getline(lines, line);
  EXPECT_EQ((*ParseJson(line, "log"))["text"], "a sentence,\nwith a break");
  std::getline(lines, line);
  EXPECT_THAT(line, HasSubstr(" note: text again"));
}

TEST(LogTest, LinesOfSeveralThreadsDoNotMix) {
  const std::string errors = ErrorsOf([] {
    std::vector<std::jthread> threads;
    threads.reserve(4);
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

// Logs to a new terminal and says whether the line came with colours. The choice is made once in a
// process, so each question needs its own.
bool IsColoured() {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  const bool is_ready = master >= 0 && ::grantpt(master) == 0 && ::unlockpt(master) == 0;
  const int terminal = is_ready ? ::open(::ptsname(master), O_RDWR | O_NOCTTY) : -1;
  if (terminal < 0 || ::dup2(terminal, STDERR_FILENO) < 0) std::_Exit(2);
  ::setenv("TERM", "xterm-256color", 1);
  Log(LogLevel::kError, "x");
  std::string line;
  for (char c = 0; c != '\n' && ::read(master, &c, 1) == 1;) line += c;
  return line.find('\x1b') != std::string::npos;
}

TEST(LogDeathTest, ATerminalGetsColoursUnlessAskedNotTo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::unsetenv("NO_COLOR");
        std::_Exit(IsColoured() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        ::setenv("NO_COLOR", "1", 1);
        std::_Exit(IsColoured() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hone
