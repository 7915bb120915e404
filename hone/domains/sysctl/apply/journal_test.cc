// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "hone/base/temp_dir.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Kind = JournalRecord::Kind;

HeldState SomeState() {
  HeldState state;
  state.id = "00ff";
  state.boot = "b";
  state.pid = 42;
  state.reason = "tabs\tand\nlines \\ inside";
  state.parameters["/p/a"] = {.original = "1", .last = "1"};
  state.parameters["/p/f"] = {
      .original = "x\ty", .last = "x\ty", .is_follower = true, .can_undo = false};
  state.couplings.twins = {{"/p/a", "/p/b"}};
  state.couplings.effects = {{"/p/a", "/p/f", false}};
  state.seen = {{"/p/z", ""}};
  state.parameters["file:/c"] = {.original = "x", .last = "x"};
  HeldFile& file = state.files["file:/c"];
  file.original.is_there = true;
  file.original.mode = 0640;
  file.original.group = 4'000'000'000;
  file.original.bytes = std::string("a\tb\\c\n\0\r\n", 9);
  file.folder = FolderIdentity{18'446'744'073'709'551'615U, 7, 4'000'000'001};
  file.original.attributes["user.x"] = std::string("\0\n", 2);
  file.reload = {{"reload", "it now"}, std::chrono::seconds(7), std::chrono::milliseconds(8)};
  return state;
}

std::string Text(const std::vector<JournalRecord>& records = {}) {
  const HeldState state = SomeState();
  std::string text = HeadText(state, "now");
  std::size_t number = HeadRecords(state);
  for (const JournalRecord& record : records) text += RecordText(record, number++);
  return text;
}

TEST(JournalTextTest, ReadsBackWhatWasWritten) {
  const auto read = ReadJournalText(Text(), "j");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->state, SomeState());
  EXPECT_EQ(read->records, HeadRecords(SomeState()));
  EXPECT_FALSE(read->is_torn);
}

TEST(JournalTextTest, RecordsTellWhatIsOurs) {
  const auto read = ReadJournalText(Text({{Kind::kIntend, "/p/a", "2"},
                                          {Kind::kNow, "/p/a", "3"},
                                          {Kind::kGone, "/p/f", ""},
                                          {Kind::kMoved, "/p/m", "5"},
                                          {Kind::kNow, "/p/m", "6"},
                                          {Kind::kKeep, "", "77"}}),
                                    "j");
  ASSERT_TRUE(read) << read.error().message;
  const auto& parameters = read->state.parameters;
  EXPECT_EQ(parameters.at("/p/a").last, "3");
  EXPECT_FALSE(parameters.at("/p/a").is_pending);
  EXPECT_EQ(parameters.at("/p/f").last, std::nullopt);
  EXPECT_EQ(parameters.at("/p/m").original, "5");
  EXPECT_EQ(parameters.at("/p/m").last, "6");
  EXPECT_EQ(read->state.keep_until_ms, 77);
}

TEST(JournalTextTest, AnIntentionMakesAllThatMovesWithItPending) {
  const auto read = ReadJournalText(Text({{Kind::kIntend, "/p/a", "2"}}), "j");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->state.parameters.at("/p/a").is_pending);
  EXPECT_TRUE(read->state.parameters.at("/p/f").is_pending);
}

TEST(JournalTextTest, EveryDamagedByteIsNoticed) {
  const std::string whole = Text({{Kind::kIntend, "/p/a", "2"}, {Kind::kNow, "/p/a", "3"}});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 1);
    const auto read = ReadJournalText(text, "j");
    if (at + 1 == whole.size()) {  // Without its newline the last record is torn, not damaged.
      ASSERT_TRUE(read && read->is_torn);
      continue;
    }
    ASSERT_FALSE(read) << "at " << at;
    ASSERT_EQ(read.error().code, Errc::kCorrupt);
  }
}

TEST(JournalTextTest, AMissingRecordIsNoticed) {
  std::string text = Text({{Kind::kIntend, "/p/a", "2"}, {Kind::kNow, "/p/a", "3"}});
  const std::size_t begin = text.rfind('\n', text.find("\tintend\t")) + 1;
  text.erase(begin, text.find('\n', begin) + 1 - begin);
  EXPECT_EQ(ReadJournalText(text, "j").error().code, Errc::kCorrupt);
}

TEST(JournalTest, NeverReplacesAJournalThatIsThere) {
  const auto folder = TempDir::Make("journal");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(Journal::Create(folder->path(), SomeState()));
  EXPECT_EQ(Journal::Create(folder->path(), SomeState()).error().code, Errc::kStale);
}

TEST(JournalTest, WhatIsAppendedIsRead) {
  const auto folder = TempDir::Make("journal");
  ASSERT_TRUE(folder);
  auto journal = Journal::Create(folder->path(), SomeState());
  ASSERT_TRUE(journal) << journal.error().message;
  ASSERT_TRUE(journal->Append({{Kind::kIntend, "/p/a", "2"}}));
  ASSERT_TRUE(journal->Append({{Kind::kNow, "/p/a", "2"}}));
  ASSERT_TRUE(journal->Sync());
  const auto read = Journal::Read(folder->path());
  ASSERT_TRUE(read && *read) << read.error().message;
  EXPECT_EQ((*read)->state.parameters.at("/p/a").last, "2");
  ASSERT_TRUE(Journal::Remove(folder->path()));
  EXPECT_FALSE(Journal::Read(folder->path())->has_value());
}

// It says what is put back, and what is run then. Who can write it would be root at the next boot.
TEST(JournalTest, OneThatOthersCouldHaveWrittenIsNotObeyed) {
  const auto folder = TempDir::Make("journal");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(Journal::Create(folder->path(), SomeState()));
  const auto file = Journal::PathIn(folder->path());
  const auto code = [&] {
    const auto read = Journal::Read(folder->path());
    return read ? std::nullopt : std::optional(read.error().code);
  };
  EXPECT_EQ(fs::status(file).permissions(), fs::perms{0600});
  EXPECT_EQ(code(), std::nullopt);
  fs::permissions(file, fs::perms{0666});
  EXPECT_EQ(code(), Errc::kCorrupt) << "the file";
  fs::permissions(file, fs::perms{0600});
  fs::permissions(folder->path(), fs::perms{0777});
  EXPECT_EQ(code(), Errc::kCorrupt) << "its folder";
  fs::permissions(folder->path(), fs::perms{0700});
  fs::rename(file, folder->path() / "elsewhere");
  fs::create_symlink(folder->path() / "elsewhere", file);
  EXPECT_EQ(code(), Errc::kCorrupt) << "a link";
}

TEST(JournalTest, WhatIsKeptIsListedNewestFirst) {
  const auto folder = TempDir::Make("journal");
  ASSERT_TRUE(folder);
  for (int i = 0; i < 11; ++i) {
    ASSERT_TRUE(Journal::Create(folder->path(), SomeState()));
    ASSERT_TRUE(KeepAsPrevious(folder->path()));
  }
  const auto files = PreviousIn(folder->path());
  ASSERT_EQ(files.size(), 11U);
  EXPECT_EQ(files.front().filename(), "previous-11");
  EXPECT_EQ(files.back().filename(), "previous-1");
}

}  // namespace
}  // namespace hone::sysctl
