// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/problems_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace hone::cli {
namespace {

using testing::HasSubstr;

app::ImportedProblem Problem(std::string name, app::Screening screening) {
  return {std::move(name), app::ImportState::kNew, "", std::move(screening)};
}

app::ImportReport ReportForTest() {
  app::ImportReport report;
  report.into = "/problems";
  report.commit = std::string(40, 'a');
  app::Screening marked;
  marked.accepts = {"zeros", "ones"};
  app::Screening slow;
  slow.not_screened = app::kTimeLimit;
  report.problems = {Problem("level1/1_A", {}),
                     Problem("level1/2_B", marked),
                     Problem("level1/3_C", slow),
                     {"level1/4_D", app::ImportState::kFailed, "4_D.py: \x1b[2J", std::nullopt}};
  report.with_weights = 20;
  return report;
}

TEST(ProblemsTextTest, SummaryCountsAndNamesWhatIsMarked) {
  EXPECT_EQ(ImportSummary(ReportForTest(), Ink()),
            "Problems in /problems, of commit aaaaaaaaaaaa\n"
            "  imported                   3\n"
            "  failed                     1\n"
            "  sound                      1\n"
            "  accept degenerate answers  1\n"
            "  not screened: time limit   1\n"
            "  level1/2_B accepts zeros, ones\n"
            "  failed 4_D.py: \\x1b[2J\n"
            "  level 4: its 20 problems need the weights of models and are not imported\n");
}

TEST(ProblemsTextTest, DocumentHasTheSameCounts) {
  const Json json = ImportJson(ReportForTest());
  EXPECT_EQ(json["summary"]["imported"], 3);
  EXPECT_EQ(json["summary"]["failed"], 1);
  EXPECT_EQ(json["summary"]["sound"], 1);
  EXPECT_EQ(json["summary"]["accept_degenerate_answers"], Json({"level1/2_B"}));
  EXPECT_EQ(json["summary"]["not_screened"], Json({{"time limit", 1}}));
  EXPECT_EQ(json["problems"][3]["screening"], nullptr);
}

TEST(ProblemsTextTest, StepSaysWhereItIsAndWhatCameOut) {
  const app::ImportReport report = ReportForTest();
  EXPECT_EQ(StepLine({2, 4, &report.problems[1], true}), "[2/4] level1/2_B: is screened");
  EXPECT_EQ(StepLine({2, 4, &report.problems[1], false}), "[2/4] level1/2_B: accepts zeros, ones");
  EXPECT_THAT(StepLine({4, 4, &report.problems[3], false}), HasSubstr("\\x1b"));
}

TEST(ProblemsTextTest, TableHasTheMark) {
  app::Screening marked;
  marked.accepts = {"zeros"};
  const std::string table = ProblemsTable({{"saxpy", "cpp", "out = a x + y", {}, "", std::nullopt},
                                           {"level1/2_B", "torch", "B", {}, "/p", marked}},
                                          Ink());
  EXPECT_EQ(table,
            "PROBLEM     BACKEND  SCREENED       SUMMARY\n"
            "saxpy       cpp      -              out = a x + y\n"
            "level1/2_B  torch    accepts zeros  B\n");
}

TEST(ProblemsTextTest, ListNamesTheTraps) {
  const Json json =
      ListJson({{"gpu_sort", "cuda", "n integers", {"the sign bit"}, "", std::nullopt}});
  EXPECT_EQ(json[0]["traps"], Json::array({"the sign bit"}));
}

}  // namespace
}  // namespace hone::cli
