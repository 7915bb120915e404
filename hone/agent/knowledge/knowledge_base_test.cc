// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/wait_until.h"

namespace hone::agent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Passage MakePassage(PassageKind kind, std::string name, std::string title, std::string source) {
  Passage passage;
  passage.kind = kind;
  if (!name.empty()) passage.names = {std::move(name)};
  passage.title = std::move(title);
  passage.text = "some text about it";
  passage.source = std::move(source);
  return passage;
}

BaseChange SmallBase() {
  BaseChange change;
  change.groups.push_back(
      {"vm.json",
       "1",
       {MakePassage(PassageKind::kParameter, "vm.swappiness", "Weighs swapping", "vm.json: 1")}});
  change.groups.push_back(
      {"kconfig",
       "1",
       {MakePassage(PassageKind::kOption, "SWAP", "Support for paging", "mm/Kconfig:1"),
        MakePassage(PassageKind::kOption, "ZSWAP", "Compressed cache", "mm/Kconfig:2")}});
  change.facts = {{"tree", "/tree"}};
  return change;
}

std::vector<std::string> SourcesOf(const std::vector<Passage>& passages) {
  std::vector<std::string> sources;
  for (const Passage& passage : passages) sources.push_back(passage.source);
  return sources;
}

TEST(KnowledgeBaseTest, APassageIsFoundByItsNameAndByItsLastPart) {
  auto base = KnowledgeBase::OpenInMemory();
  ASSERT_TRUE(base) << base.error().message;
  ASSERT_TRUE(base->Apply(SmallBase()));
  for (const char* name : {"vm.swappiness", "swappiness", " VM.SWAPPINESS "}) {
    const auto found = base->Named(name, 10);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_THAT(SourcesOf(*found), ElementsAre("vm.json: 1")) << name;
  }
  EXPECT_THAT(SourcesOf(*base->Named("CONFIG_SWAP", 10)), ElementsAre("mm/Kconfig:1"));
  EXPECT_THAT(*base->Named("nothing", 10), IsEmpty());
}

TEST(KnowledgeBaseTest, WhatIsReadIsWhatWasKept) {
  auto base = KnowledgeBase::OpenInMemory();
  Passage passage = MakePassage(PassageKind::kInterface, "a.b", "title", "source:1");
  passage.names.emplace_back("c");
  passage.facts = "default: 1\n";
  passage.weight = 0.5;
  ASSERT_TRUE(base->Apply({.groups = {{"x", "1", {passage}}}}));
  EXPECT_THAT(*base->Named("c", 10), ElementsAre(passage));
}

TEST(KnowledgeBaseTest, AGroupReplacesTheOneOfItsOrigin) {
  auto base = KnowledgeBase::OpenInMemory();
  ASSERT_TRUE(base->Apply(SmallBase()));
  BaseChange change;
  change.groups.push_back(
      {"kconfig", "2", {MakePassage(PassageKind::kOption, "NUMA", "NUMA support", "Kconfig:3")}});
  change.gone = {"vm.json"};
  ASSERT_TRUE(base->Apply(change));
  EXPECT_THAT(*base->Named("SWAP", 10), IsEmpty());
  EXPECT_THAT(*base->Named("swappiness", 10), IsEmpty());
  EXPECT_THAT(*base->Named("NUMA", 10), SizeIs(1));
  EXPECT_THAT(*SearchKnowledge(*base, "swapping"), IsEmpty());
  const auto whole = base->database().Execute(
      "INSERT INTO knowledge_words(knowledge_words, rank) VALUES('integrity-check', 1)");
  EXPECT_TRUE(whole) << whole.error().message;
  const auto digests = base->Digests();
  ASSERT_TRUE(digests);
  EXPECT_EQ(*digests, (std::map<std::string, std::string>{{"kconfig", "2"}}));
}

TEST(KnowledgeBaseTest, NamesThatMayBeMeantAreOffered) {
  auto base = KnowledgeBase::OpenInMemory();
  ASSERT_TRUE(base->Apply(SmallBase()));
  EXPECT_THAT(*base->NamesLike("swap", 10), Contains("ZSWAP"));
  EXPECT_THAT(*base->NamesLike("vm.swapiness", 10), ElementsAre("vm.swappiness"));
}

TEST(KnowledgeBaseTest, ContentsAreCountedByKind) {
  auto base = KnowledgeBase::OpenInMemory();
  ASSERT_TRUE(base->Apply(SmallBase()));
  const auto contents = base->Contents();
  ASSERT_TRUE(contents) << contents.error().message;
  EXPECT_EQ(contents->passages[static_cast<std::size_t>(PassageKind::kOption)], 2);
  EXPECT_EQ(contents->passages[static_cast<std::size_t>(PassageKind::kParameter)], 1);
  EXPECT_EQ(contents->names, 3);
  EXPECT_EQ(contents->facts.at("tree"), "/tree");
}

// As version 1 was made, with one passage.
void WriteVersion1(const std::filesystem::path& path) {
  auto database = Database::Open(path);
  ASSERT_TRUE(database) << database.error().message;
  const auto made = database->Migrate(
      "knowledge",
      {"CREATE TABLE knowledge_origins(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,"
       " digest TEXT NOT NULL);"
       "CREATE TABLE knowledge_passages(id INTEGER PRIMARY KEY, origin INTEGER NOT NULL,"
       " kind INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, facts TEXT NOT NULL,"
       " source TEXT NOT NULL, weight REAL NOT NULL);"
       "CREATE TABLE knowledge_names(name TEXT NOT NULL COLLATE NOCASE,"
       " part TEXT NOT NULL COLLATE NOCASE, passage INTEGER NOT NULL, position INTEGER NOT NULL);"
       "CREATE TABLE knowledge_facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
       "CREATE VIRTUAL TABLE knowledge_words USING fts5(names, title, topics, body,"
       " tokenize='unicode61 remove_diacritics 0');"
       "CREATE VIRTUAL TABLE knowledge_vocabulary USING fts5vocab(knowledge_words, row);"
       "CREATE TABLE knowledge_terms(term TEXT PRIMARY KEY, passages INTEGER NOT NULL)"
       " WITHOUT ROWID;"
       "INSERT INTO knowledge_origins VALUES (1, 'kconfig', '1');"
       "INSERT INTO knowledge_passages VALUES (4, 1, 0, 'Compressed cache', 't', '', 's:1', 1);"
       "INSERT INTO knowledge_names VALUES ('ZSWAP', 'ZSWAP', 4, 0);"
       "INSERT INTO knowledge_words(rowid, names, title, topics, body)"
       " VALUES (4, 'zswap ', 'compress cach', '', 't')"});
  ASSERT_TRUE(made) << made.error().message;
}

TEST(KnowledgeBaseTest, ABaseOfVersion1IsBroughtUpToDate) {
  const auto folder = TempDir::Make("hone-knowledge-test");
  ASSERT_TRUE(folder);
  WriteVersion1(folder->path() / "base.sqlite");
  auto base = KnowledgeBase::Open(folder->path() / "base.sqlite");
  ASSERT_TRUE(base) << base.error().message;
  for (const char* question : {"compressed", "what is ZSWAP"}) {
    const auto hits = SearchKnowledge(*base, question);
    ASSERT_TRUE(hits) << hits.error().message;
    ASSERT_THAT(*hits, SizeIs(1)) << question;
    EXPECT_EQ(hits->front().passage.source, "s:1");
  }
  ASSERT_TRUE(base->Apply({.gone = {"kconfig"}}));
  EXPECT_THAT(*SearchKnowledge(*base, "compressed"), IsEmpty());
}

// A change so large that it is still being written when the first bytes are on disk.
[[noreturn]] void WriteForLong(const std::filesystem::path& path) {
  auto base = KnowledgeBase::Open(path);
  PassageGroup group{"kconfig", "2", {}};
  for (int i = 0; i < 20'000; ++i) {
    Passage passage = MakePassage(PassageKind::kDocument, "", "filler", std::to_string(i));
    passage.text = std::string(2'000, static_cast<char>('a' + i % 26));
    group.passages.push_back(std::move(passage));
  }
  for (;;) {
    if (!base->Apply({.groups = {group}, .gone = {"vm.json"}})) ::_exit(1);
  }
}

TEST(KnowledgeBaseTest, AKilledWriterLeavesTheOldBase) {
  const auto folder = TempDir::Make("hone-knowledge-test");
  ASSERT_TRUE(folder);
  const std::filesystem::path path = folder->path() / "base.sqlite";
  {
    auto base = KnowledgeBase::Open(path);
    ASSERT_TRUE(base) << base.error().message;
    ASSERT_TRUE(base->Apply(SmallBase()));
  }
  const pid_t writer = ::fork();
  if (writer == 0) WriteForLong(path);
  std::error_code ignored;
  WaitUntil(
      [&] { return std::filesystem::file_size(path.string() + "-wal", ignored) + 1 > 1'000'000; },
      "the writer has begun");
  ::kill(writer, SIGKILL);
  int status = 0;
  ::waitpid(writer, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto base = KnowledgeBase::Open(path);
  ASSERT_TRUE(base) << base.error().message;
  const auto digests = base->Digests();
  ASSERT_TRUE(digests) << digests.error().message;
  // Where the writer was faster than we are, the whole of its change is there.
  const bool is_new = digests->at("kconfig") == "2";
  EXPECT_THAT(*base->Named("SWAP", 10), SizeIs(is_new ? 0 : 1));
  EXPECT_THAT(*base->Named("swappiness", 10), SizeIs(is_new ? 0 : 1));
}

}  // namespace
}  // namespace hone::agent
