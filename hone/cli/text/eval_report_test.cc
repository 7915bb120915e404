// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/eval_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json Task(const std::string& outcome, const std::string& reason, const Json& evidence) {
  const Json reading = {{"value", 2.0}, {"spread", 1.5}};
  return {{"evaluation",
           {{"outcome", outcome},
            {"reason", reason},
            {"evidence", evidence},
            {"metrics", Json::array()},
            {"samples",
             {{{"arm", "candidate"}, {"metrics", {{"time", reading}, {"speedup", reading}}}}}}}}};
}

std::string Reported(const Json& task) { return EvalReport(task, Ink(false)); }

TEST(EvalReportTest, TheIntervalOfASpeedupIsTheJudgesOwn) {
  const Json times = {{{"what", "times"}, {"text", R"({"speedup_interval": [0.5, 8.0]})"}}};
  EXPECT_THAT(Reported(Task("accepted", "", times)), HasSubstr("speedup    2x [0.5, 8]\n"));
  const Json open = {{{"what", "times"}, {"text", R"({"speedup_interval": null})"}}};
  EXPECT_THAT(Reported(Task("accepted", "", open)),
              HasSubstr("speedup    2x (too few calls for an interval)\n"));
}

TEST(EvalReportTest, TheIntervalOfATimeIsTheJudgesOwn) {
  const auto reported = [](const std::string& interval) {
    const std::string times = R"({"candidate": {"interval_ns": )" + interval + "}}";
    return Reported(Task("accepted", "", {{{"what", "times"}, {"text", times}}}));
  };
  EXPECT_THAT(reported("[1900000, 2100000]"), HasSubstr("time       2 ms [1.9, 2.1]\n"));
  EXPECT_THAT(reported("null"), HasSubstr("time       2 ms (too few calls for an interval)\n"));
}

TEST(EvalReportTest, WhereTheJudgeTellsNoTimesTheStandardErrorIsTheInterval) {
  EXPECT_THAT(Reported(Task("accepted", "", Json::array())),
              HasSubstr("time       2 ms [-0.9399, 4.94]\n"));
}

TEST(EvalReportTest, EveryDeviationFromTheProblemIsALine) {
  Json task = Task("accepted", "", Json::array());
  EXPECT_THAT(Reported(task), Not(HasSubstr("deviation")));
  task["evaluation"]["feedback"] = {{"terms", {{"deviations", {"trials=1", "cache=cold"}}}}};
  EXPECT_THAT(Reported(task), HasSubstr("  deviation  trials=1\n  deviation  cache=cold\n"));
}

TEST(EvalReportTest, WhatEachToolOfASanitizerCameToIsALine) {
  const Json evidence = {{{"what", "sanitizer"}, {"text", R"({"calls": [
      {"sizes": "n = 1", "tools": {"memcheck": "clean", "racecheck": "clean"}},
      {"sizes": "n = 9", "tools": {"memcheck": "clean", "racecheck": "not finished"}}]})"}}};
  EXPECT_THAT(Reported(Task("accepted", "", evidence)),
              HasSubstr("  sanitizer  memcheck clean, racecheck not finished\n"));
}

TEST(EvalReportTest, WhatASanitizerFoundIsShownInItsWords) {
  const Json evidence = {
      {{"what", "sanitizer"},
       {"text", "Invalid __global__ read of size 4 bytes\n    at saxpy+0x70\n"}}};
  const std::string text = Reported(Task("wrong", "compute-sanitizer, with n = 1", evidence));
  EXPECT_THAT(text, HasSubstr("the sanitizer says:\n    Invalid __global__ read"));
}

TEST(EvalReportTest, WhatMakesTheTimesDoubtfulIsShown) {
  const Json evidence = {{{"what", "machine"}, {"text", "others use the GPU"}}};
  EXPECT_THAT(Reported(Task("accepted", "", evidence)),
              HasSubstr("about the machine:\n    others use the GPU\n"));
}

TEST(EvalReportTest, EvidenceOfAnotherShapeIsPassedOver) {
  const Json evidence = {{{"what", "times"}, {"text", R"({"speedup_interval": ["a", {}]})"}},
                         {{"what", "sanitizer"}, {"text", R"({"calls": [7, {"tools": []}]})"}}};
  const std::string text = Reported(Task("accepted", "", evidence));
  EXPECT_THAT(text, HasSubstr("speedup    2x"));
  EXPECT_THAT(text, Not(HasSubstr("sanitizer")));
}

}  // namespace
}  // namespace hone::cli
