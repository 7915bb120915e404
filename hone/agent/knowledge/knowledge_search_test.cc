// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/agent/knowledge/synonyms.h"
#include "hone/agent/knowledge/words.h"

namespace hone::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Row {
  PassageKind kind;
  const char* name;
  const char* title;
  const char* text;
  const char* source;
};

constexpr Row kRows[] = {
    {PassageKind::kParameter, "vm.swappiness", "Weighs swapping out memory against file pages.",
     "At 0 the kernel may kill instead.", "data/parameters/vm.json: vm.swappiness"},
    {PassageKind::kParameter, "net.core.rmem_max", "The largest receive buffer of a socket.", "",
     "data/parameters/net_core.json: net.core.rmem_max"},
    {PassageKind::kOption, "TRANSPARENT_HUGEPAGE", "Transparent Hugepage Support",
     "Allows the kernel to use huge pages for any application.", "mm/Kconfig:1"},
    {PassageKind::kOption, "NO_HZ_IDLE", "Idle dynticks system (tickless idle)",
     "No periodic ticks while a CPU is idle.", "kernel/time/Kconfig:1"},
    {PassageKind::kOption, "NO_HZ_FULL", "Full dynticks system (tickless)",
     "No ticks even while a task runs.", "kernel/time/Kconfig:9"},
    {PassageKind::kInterface, "vm.swappiness", "sysctl > swappiness",
     "How aggressively the kernel will swap memory pages.", "Documentation/vm.rst:5"},
    {PassageKind::kDocument, "", "Swap", "Swap swap swap.", "Documentation/swap.rst:1"},
    {PassageKind::kDocument, "", "Swap > More", "Swap swap swap.", "Documentation/swap.rst:9"},
    {PassageKind::kDocument, "", "Swap > Most", "Swap swap swap.", "Documentation/swap.rst:19"},
    {PassageKind::kDocument, "", "Serial lines", "The console.", "Documentation/serial.rst:1"}};

class KnowledgeSearchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    PassageGroup group{"all", "1", {}};
    for (const Row& row : kRows) {
      Passage passage;
      passage.kind = row.kind;
      if (*row.name != '\0') passage.names = {row.name};
      passage.title = row.title;
      passage.text = row.text;
      passage.source = row.source;
      group.passages.push_back(std::move(passage));
    }
    ASSERT_TRUE(base_->Apply({.groups = {group}}));
  }

  std::vector<KnowledgeHit> Ask(std::string_view question, SearchOptions options = {}) {
    auto hits = SearchKnowledge(*base_, question, options);
    EXPECT_TRUE(hits) << hits.error().message;
    return hits ? std::move(*hits) : std::vector<KnowledgeHit>();
  }
  std::string First(std::string_view question) {
    const auto hits = Ask(question);
    return hits.empty() ? "" : hits.front().passage.source;
  }

  Result<KnowledgeBase> base_ = KnowledgeBase::OpenInMemory();
};

TEST_F(KnowledgeSearchTest, PlainWordsFindWhatTheyMean) {
  EXPECT_EQ(First("why does it swap"), "data/parameters/vm.json: vm.swappiness");
  EXPECT_EQ(First("larger network buffer when receiving"),
            "data/parameters/net_core.json: net.core.rmem_max");
  EXPECT_EQ(First("keep the timer tick off idle CPUs"), "kernel/time/Kconfig:1");
}

TEST_F(KnowledgeSearchTest, APhraseFindsItsSynonym) {
  EXPECT_EQ(First("thp"), "mm/Kconfig:1");
  EXPECT_EQ(First("large pages"), "mm/Kconfig:1");
}

TEST_F(KnowledgeSearchTest, ANameInTheQuestionComesFirst) {
  EXPECT_EQ(First("swap swap swap NO_HZ_FULL"), "kernel/time/Kconfig:9");
  EXPECT_EQ(First("CONFIG_NO_HZ_FULL=y"), "kernel/time/Kconfig:9");
  EXPECT_EQ(First("what does rmem_max do"), "data/parameters/net_core.json: net.core.rmem_max");
}

TEST_F(KnowledgeSearchTest, PassagesAboutOneNameAreOneHit) {
  const auto hits = Ask("swappiness");
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits.front().passage.source, "data/parameters/vm.json: vm.swappiness");
  EXPECT_THAT(hits.front().also, ElementsAre("Documentation/vm.rst:5"));
}

TEST_F(KnowledgeSearchTest, OneDocumentDoesNotFillTheAnswer) {
  std::size_t count = 0;
  for (const KnowledgeHit& hit : Ask("swap")) {
    if (hit.passage.source.starts_with("Documentation/swap.rst")) ++count;
  }
  EXPECT_EQ(count, 2U);
}

TEST_F(KnowledgeSearchTest, OnlyTheKindsAskedForAreGiven) {
  const auto hits = Ask("swap", {.max = 10, .kinds = {PassageKind::kDocument}});
  ASSERT_FALSE(hits.empty());
  for (const KnowledgeHit& hit : hits) EXPECT_EQ(hit.passage.kind, PassageKind::kDocument);
}

TEST_F(KnowledgeSearchTest, NoMoreThanAskedForAreGiven) {
  EXPECT_THAT(Ask("swap", {.max = 1}), SizeIs(1));
}

TEST_F(KnowledgeSearchTest, WordsOfSqliteAreJustWords) {
  for (const std::string question :
       {"\"", "swap\" OR \"x", "NEAR(a b)", "names:swap", "*", "swap*", "AND OR NOT", "(", "-swap",
        "'; DROP TABLE knowledge_passages; --", "", " ", "\xff\xfe\x01"}) {
    EXPECT_TRUE(SearchKnowledge(*base_, question)) << question;
  }
  EXPECT_FALSE(Ask("swap").empty());
}

TEST_F(KnowledgeSearchTest, AnEndlessQuestionIsAnswered) {
  std::string question;
  for (int i = 0; i < 100'000; ++i) question += "swap tick page ";
  EXPECT_FALSE(Ask(question).empty());
}

TEST_F(KnowledgeSearchTest, WhatNobodyKnowsIsNotFound) {
  EXPECT_THAT(Ask("zebra crossing"), IsEmpty());
}

TEST(SynonymsTest, OurOwnFileReads) {
  const auto matches = Synonyms::BuiltIn().In(StemsOf("the huge pages are split"));
  ASSERT_FALSE(matches.empty());
  EXPECT_THAT(matches.front().also, ::testing::Contains("thp"));
}

TEST(SynonymsTest, AFaultyFileIsRefused) {
  for (const char* text :
       {"", "{}", R"({"format": "x", "format_version": 1, "synonyms": []})",
        R"({"format": "hone-knowledge-synonyms", "format_version": 2, "synonyms": []})",
        R"({"format": "hone-knowledge-synonyms", "format_version": 1,
            "synonyms": [{"said": [], "also": ["x"]}]})",
        R"({"format": "hone-knowledge-synonyms", "format_version": 1,
            "synonyms": [{"said": ["a"], "also": ["x"], "more": 1}]})"}) {
    EXPECT_FALSE(Synonyms::Read(text, "test")) << text;
  }
}

}  // namespace
}  // namespace hone::agent
