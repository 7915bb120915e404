// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/data/os_r1_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/data/leak_check.h"
#include "hone/agent/data/right_answer_for_test.h"
#include "hone/agent/rewards/answer_reward.h"
#include "hone/base/file.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The samples were written by hand in the form of its logs.
ImportedLog Sample(const std::string& name, const std::string& split = "") {
  const auto text = ReadFile(std::string(HONE_OS_R1_SAMPLES) + "/" + name);
  EXPECT_TRUE(text) << text.error().message;
  auto log = ImportOsR1Log(text.value_or(""), name);
  EXPECT_TRUE(log) << log.error().message;
  if (!log) return {};
  for (QuestionRow& row : log->rows) row.split = split;
  return *log;
}

TEST(OsR1ImportTest, EveryKindComesOver) {
  const ImportedLog log = Sample("kvm.log");
  EXPECT_THAT(log.faults, IsEmpty());
  ASSERT_THAT(log.rows, SizeIs(4));
  for (const QuestionRow& row : log.rows) {
    EXPECT_EQ(row.goal, "KVM guest performance");
    ASSERT_TRUE(row.label);
    EXPECT_EQ(row.label->items[0].source.origin, LabelOrigin::kImported);
    EXPECT_DOUBLE_EQ(RewardOfResponse(row.question, *row.label, RightAnswerOf(row))->total, 1);
  }
  EXPECT_EQ(RightAnswerOf(log.rows[0]), "<answer>\n64BIT = y\nVIRTUALIZATION = n\n</answer>");
  EXPECT_EQ(RightAnswerOf(log.rows[1]), "<answer>\nGeneral setup\nNET\n</answer>");
  EXPECT_EQ(RightAnswerOf(log.rows[2]), "<answer>\nPREEMPT\n</answer>");
  EXPECT_EQ(RightAnswerOf(log.rows[3]), "<answer>\nMaximum CPUs = 128\n</answer>");
  EXPECT_EQ(log.rows[3].question.items[0].value, "17");
  EXPECT_EQ(log.rows[0].label->items[0].source.reference, "OS-R1 kvm.log:2");
}

TEST(OsR1ImportTest, ItsLeakIsReported) {
  std::vector<QuestionRow> rows = Sample("kvm.log", "train").rows;
  for (const QuestionRow& row : Sample("kubernetes.log", "validation").rows) rows.push_back(row);
  const LeakReport report = FindLeaks(rows);
  EXPECT_EQ(report.leaked_rows, 4U);
  EXPECT_FALSE(IsLeakFree(report, SplitBy::kOption));
}

TEST(OsR1ImportTest, WhatDoesNotFitIsLeftOutAndNamed) {
  const ImportedLog log = Sample("faulty.log");
  ASSERT_THAT(log.rows, SizeIs(3));
  EXPECT_FALSE(log.rows[0].label);
  ASSERT_TRUE(log.rows[1].label);
  EXPECT_EQ(log.rows[1].label->items[0].accepted[0].value, "18");
  EXPECT_FALSE(log.rows[2].label);
  std::string faults;
  for (const ImportFault& fault : log.faults) faults += fault.place + ": " + fault.what + "\n";
  EXPECT_THAT(faults, HasSubstr("faulty.log:2"));
  EXPECT_THAT(faults, HasSubstr("faulty.log:3: question: expected TYPE"));
  EXPECT_THAT(faults, HasSubstr("faulty.log:4: type \"Tristate\""));
  EXPECT_THAT(faults, HasSubstr("label b: no such item"));
  EXPECT_THAT(faults, HasSubstr("faulty.log:6: label Log: it is there twice"));
  EXPECT_THAT(faults, HasSubstr("value 7 is none of 2, 0, -1"));
}

TEST(OsR1ImportTest, AFileOfAnotherKindIsRefused) {
  EXPECT_FALSE(ImportOsR1Log("", "x"));
  EXPECT_FALSE(ImportOsR1Log("{\"question\": 1}\n", "x"));
  EXPECT_FALSE(ImportOsR1Log("Goal\nnothing\n", "x"));
}

}  // namespace
}  // namespace hone::agent
