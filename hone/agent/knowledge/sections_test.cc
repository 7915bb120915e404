// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SectionsTest, HeadingsMakeSectionsBelowEachOther) {
  const auto sections = SectionsOf(
      "=====\nTitle\n=====\n\nfirst\n\nPart\n----\nsecond\n\nDeeper\n~~~~~~\nthird\n\nOther\n----\n"
      "fourth\n",
      DocumentForm::kProse);
  ASSERT_THAT(sections, SizeIs(4));
  EXPECT_THAT(sections[0].titles, ElementsAre("Title"));
  EXPECT_THAT(sections[1].titles, ElementsAre("Title", "Part"));
  EXPECT_THAT(sections[2].titles, ElementsAre("Title", "Part", "Deeper"));
  EXPECT_THAT(sections[3].titles, ElementsAre("Title", "Other"));
  EXPECT_THAT(sections[3].text, HasSubstr("fourth"));
  EXPECT_EQ(sections[1].line, 9U);
}

TEST(SectionsTest, MarkdownHeadingsAreHeadings) {
  const auto sections = SectionsOf("# One\ntext\n## Two\nmore\n", DocumentForm::kProse);
  ASSERT_THAT(sections, SizeIs(2));
  EXPECT_THAT(sections[1].titles, ElementsAre("One", "Two"));
}

TEST(SectionsTest, AnEntryOfAListIsASectionOfItsName) {
  const auto sections = SectionsOf(
      "Variables\n=========\n\ntcp_sack - BOOLEAN\n\tEnable select acknowledgments.\n\n"
      "tcp_rmem - vector of 3 INTEGERs: min, default, max\n\tmin: Minimal "
      "size.\n\n\tmore\n\nprose\n",
      DocumentForm::kProse);
  ASSERT_THAT(sections, SizeIs(3));
  EXPECT_THAT(sections[0].names, ElementsAre("tcp_sack"));
  EXPECT_THAT(sections[1].names, ElementsAre("tcp_rmem"));
  EXPECT_THAT(sections[1].text, HasSubstr("more"));
  EXPECT_THAT(sections[2].names, IsEmpty());
}

TEST(SectionsTest, AFileOfAControlGroupIsAnEntry) {
  const auto sections = SectionsOf(
      "Files\n=====\n\n  memory.high\n\tA read-write value.\n\n  memory.max\n\tA limit.\n",
      DocumentForm::kProse);
  ASSERT_THAT(sections, SizeIs(2));
  EXPECT_THAT(sections[0].names, ElementsAre("memory.high"));
  EXPECT_THAT(sections[1].names, ElementsAre("memory.max"));
}

TEST(SectionsTest, WhatBeginsAnInterfaceIsItsName) {
  const auto sections = SectionsOf(
      "What:\t\t/sys/block/<disk>/size\nWhat:\t\t/sys/block/<disk>/"
      "length\nDescription:\n\t\tSize.\n\n"
      "What: /sys/other\nDescription: Other.\n",
      DocumentForm::kFileInterfaces);
  ASSERT_THAT(sections, SizeIs(2));
  EXPECT_THAT(sections[0].names, ElementsAre("/sys/block/*/size", "/sys/block/*/length"));
  EXPECT_THAT(sections[1].names, ElementsAre("/sys/other"));
  EXPECT_EQ(sections[1].line, 6U);
}

TEST(SectionsTest, ABootParameterStandsBehindOneTab) {
  const auto sections = SectionsOf(
      "\tquiet\t\t[KNL] Disable most log messages\n\n\tloglevel=\t[KNL]\n\t\t\tAll "
      "messages below it.\n",
      DocumentForm::kBootParameters);
  ASSERT_THAT(sections, SizeIs(2));
  EXPECT_THAT(sections[0].names, ElementsAre("quiet"));
  EXPECT_THAT(sections[1].names, ElementsAre("loglevel"));
  EXPECT_THAT(sections[1].text, HasSubstr("below it"));
}

TEST(SectionsTest, ALongSectionBecomesSeveral) {
  std::string text = "Title\n=====\n";
  for (int i = 0; i < 400; ++i) text += "a line of prose that goes on and on\n\n";
  const auto sections = SectionsOf(text, DocumentForm::kProse);
  EXPECT_GT(sections.size(), 4U);
  for (const Section& section : sections) {
    EXPECT_LE(section.text.size(), 2 * kMaxSection + 100);
    EXPECT_THAT(section.titles, ElementsAre("Title"));
  }
}

TEST(SectionsTest, AnyBytesAreADocument) {
  EXPECT_THAT(SectionsOf("", DocumentForm::kProse), IsEmpty());
  EXPECT_THAT(SectionsOf("====", DocumentForm::kProse), SizeIs(1));
  EXPECT_FALSE(SectionsOf(std::string(1'000'000, 'x'), DocumentForm::kProse).empty());
  std::string marks;
  for (int i = 0; i < 100'000; ++i) marks += "===\n";
  SectionsOf(marks, DocumentForm::kProse);
  std::string entries;
  for (int i = 0; i < 50'000; ++i) entries += "What: /sys/x\n\n";
  EXPECT_THAT(SectionsOf(entries, DocumentForm::kFileInterfaces), SizeIs(kMaxSections));
  const std::string zeros(1'000, '\0');
  EXPECT_THAT(SectionsOf(zeros, DocumentForm::kBootParameters), IsEmpty());
}

}  // namespace
}  // namespace hone::agent
