// SPDX-License-Identifier: Apache-2.0
// What SQLite does on a bad day: full and read-only disks, damaged and locked files, dead writers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include "hone/base/sqlite/sqlite.h"
#include "hone/base/temp_dir.h"
#include "hone/testing/test_machine.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kFull =
    ": the disk is full: free some space, then run the same command again";

class SqliteFaultTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make("hone-sqlite-test");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }

  fs::path File() const { return folder_->path() / "hone.db"; }

  // A file with one table of `rows` rows of about 1 kB.
  Database Fill(int rows) const {
    auto database = Database::Open(File());
    EXPECT_TRUE(database.has_value()) << database.error().message;
    EXPECT_TRUE(database->Execute("CREATE TABLE t (i INTEGER PRIMARY KEY, s)").has_value());
    for (int i = 0; i < rows; ++i) EXPECT_TRUE(Insert(*database).has_value());
    return *std::move(database);
  }

  static Result<void> Insert(Database& database) {
    return database.Transact(
        [&] { return database.Execute("INSERT INTO t (s) VALUES (hex(randomblob(500)))"); });
  }

  static std::int64_t CountIn(Database& database) {
    auto statement = database.Prepare("SELECT count(s) FROM t");
    EXPECT_TRUE(statement.has_value()) << statement.error().message;
    EXPECT_TRUE(statement->Step().has_value());
    return statement->Integer(0);
  }

  static bool IsIntact(Database& database) {
    auto statement = database.Prepare("PRAGMA integrity_check");
    return statement && statement->Step().value_or(false) && statement->Text(0) == "ok";
  }

  void Overwrite(std::streamoff offset, std::size_t bytes) const {
    std::fstream file(File(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offset);
    file << std::string(bytes, 'Z');
    ASSERT_TRUE(file.good());
  }

  std::optional<TempDir> folder_;
};

TEST_F(SqliteFaultTest, AFullDatabaseIsUnavailableAndKeepsWhatItHas) {
  Database database = Fill(5);
  ASSERT_TRUE(database.Execute("PRAGMA max_page_count=10").has_value());
  auto inserted = Insert(database);
  while (inserted) inserted = Insert(database);
  EXPECT_EQ(inserted.error().code, Errc::kUnavailable);
  EXPECT_EQ(inserted.error().message, File().native() + std::string(kFull));
  const std::int64_t rows = CountIn(database);
  EXPECT_GE(rows, 5);
  EXPECT_TRUE(IsIntact(database));
  ASSERT_TRUE(database.Execute("PRAGMA max_page_count=1000").has_value());
  EXPECT_TRUE(Insert(database).has_value());
  EXPECT_EQ(CountIn(database), rows + 1);
}

TEST_F(SqliteFaultTest, AFullDiskIsUnavailableAndKeepsWhatWasCommitted) {
  const auto disk = TinyDisk::Mount(folder_->path(), 512 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  std::int64_t rows = 0;
  {
    Database database = Fill(0);
    auto inserted = Insert(database);
    for (; inserted; inserted = Insert(database)) ++rows;
    EXPECT_EQ(inserted.error().code, Errc::kUnavailable);
    EXPECT_EQ(inserted.error().message, File().native() + std::string(kFull));
    EXPECT_EQ(CountIn(database), rows);
  }
  EXPECT_GT(rows, 10);
  auto again = Database::Open(File());
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE(IsIntact(*again));
  EXPECT_EQ(CountIn(*again), rows);
}

TEST_F(SqliteFaultTest, AFullDiskCannotTakeANewFile) {
  const auto disk = TinyDisk::Mount(folder_->path(), 64 << 10);
  if (!disk) GTEST_SKIP() << disk.error().message;
  std::ofstream(folder_->path() / "ballast") << std::string(1 << 20, 'x');
  const auto database = Database::Open(File());
  ASSERT_FALSE(database.has_value());
  EXPECT_EQ(database.error().code, Errc::kUnavailable);
  EXPECT_THAT(database.error().message, EndsWith(kFull));
}

TEST_F(SqliteFaultTest, AReadOnlyFileIsUnsupported) {
  { Fill(1); }
  fs::permissions(folder_->path(), fs::perms::all);
  fs::permissions(File(), fs::perms{0444});
  const AsNobody nobody;
  auto database = Database::Open(File());
  const auto failure = database ? Insert(*database) : Result<void>(database.error());
  ASSERT_FALSE(failure.has_value());
  EXPECT_EQ(failure.error().code, Errc::kUnsupported);
  EXPECT_THAT(failure.error().message, HasSubstr(File().native() + ": cannot be written"));
}

TEST_F(SqliteFaultTest, AReadOnlyFolderCannotBeWrittenButCanBeRead) {
  { Fill(3); }
  fs::permissions(File(), fs::perms{0666});
  fs::permissions(folder_->path(), fs::perms{0555});
  const AsNobody nobody;
  const auto writer = Database::Open(File());
  ASSERT_FALSE(writer.has_value());
  EXPECT_EQ(writer.error().code, Errc::kUnsupported);
  EXPECT_THAT(writer.error().message, HasSubstr(File().native() + ": "));
  EXPECT_FALSE(Database::Open(folder_->path() / "new.db").has_value());
  auto reader = Database::Open(File(), Database::Mode::kReadOnly);
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_EQ(CountIn(*reader), 3);
}

TEST_F(SqliteFaultTest, AReadOnlyDiskCannotBeWrittenButCanBeRead) {
  auto disk = TinyDisk::Mount(folder_->path(), 1 << 20);
  if (!disk) GTEST_SKIP() << disk.error().message;
  { Fill(3); }
  ASSERT_TRUE(disk->MakeReadOnly().has_value());
  EXPECT_EQ(Database::Open(File()).error().code, Errc::kUnsupported);
  EXPECT_EQ(Database::Open(folder_->path() / "new.db").error().code, Errc::kUnsupported);
  auto reader = Database::Open(File(), Database::Mode::kReadOnly);
  ASSERT_TRUE(reader.has_value()) << reader.error().message;
  EXPECT_EQ(CountIn(*reader), 3);
}

TEST_F(SqliteFaultTest, AFileThatIsNoDatabaseIsCorruptAndStaysAsItIs) {
  { Fill(3); }
  Overwrite(0, 100);
  const auto size = fs::file_size(File());
  for (const auto mode : {Database::Mode::kReadWrite, Database::Mode::kReadOnly}) {
    const auto database = Database::Open(File(), mode);
    ASSERT_FALSE(database.has_value());
    EXPECT_EQ(database.error().code, Errc::kCorrupt);
    EXPECT_THAT(database.error().message, HasSubstr(File().native() + ": not a database"));
  }
  EXPECT_EQ(fs::file_size(File()), size);
}

TEST_F(SqliteFaultTest, ADamagedPageIsCorruptWhenItIsRead) {
  { Fill(100); }
  const auto middle = static_cast<std::streamoff>(fs::file_size(File()) / 2 / 4096 * 4096);
  Overwrite(middle, 4096);
  auto database = Database::Open(File());
  ASSERT_TRUE(database.has_value()) << database.error().message;
  const auto read = database->Execute("SELECT sum(length(s)) FROM t");
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Errc::kCorrupt);
  EXPECT_THAT(read.error().message, HasSubstr(File().native() + ": damaged ("));
}

TEST_F(SqliteFaultTest, AFileThatIsAFolderIsAnError) {
  fs::create_directory(File());
  const auto database = Database::Open(File());
  ASSERT_FALSE(database.has_value());
  EXPECT_THAT(database.error().message, HasSubstr(File().native() + ": "));
}

TEST_F(SqliteFaultTest, ASecondWriterWaitsAndThenSaysWhoIsInTheWay) {
  Database first = Fill(1);
  auto second = Database::Open(File());
  ASSERT_TRUE(second.has_value());
  ASSERT_TRUE(second->Execute("PRAGMA busy_timeout=20").has_value());
  const auto done = first.Transact([&]() -> Result<void> {
    if (auto inserted = first.Execute("INSERT INTO t (s) VALUES ('x')"); !inserted) return inserted;
    EXPECT_EQ(CountIn(*second), 1);  // A reader sees what was committed, and does not wait.
    const auto refused = Insert(*second);
    EXPECT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, Errc::kUnavailable);
    EXPECT_THAT(refused.error().message,
                HasSubstr(File().native() + ": locked by another process"));
    return {};
  });
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_TRUE(Insert(*second).has_value());
  EXPECT_EQ(CountIn(first), 3);
}

TEST_F(SqliteFaultTest, AWriterKilledInMidTransactionLosesOnlyThat) {
  { Fill(0); }
  std::int64_t seen = -1;
  KillWhenReady(
      [&](int ready) {
        auto database = Database::Open(File());
        for (int i = 0; i < 7; ++i) {
          if (!Insert(*database)) ::_exit(1);
        }
        [[maybe_unused]] const auto done = database->Transact([&]() -> Result<void> {
          // More than the page cache holds, so that uncommitted pages are in the log already.
          auto filled = database->Execute(
              "PRAGMA cache_size=10; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
              "n "
              "WHERE i < 2000) INSERT INTO t (s) SELECT hex(randomblob(500)) FROM n");
          if (!filled || ::write(ready, "x", 1) != 1) ::_exit(1);
          ::pause();
          return {};
        });
      },
      [&] {
        auto database = Database::Open(File());
        ASSERT_TRUE(database.has_value()) << database.error().message;
        seen = CountIn(*database);
      });
  EXPECT_EQ(seen, 7);
  auto database = Database::Open(File());
  ASSERT_TRUE(database.has_value()) << database.error().message;
  EXPECT_TRUE(IsIntact(*database));
  EXPECT_EQ(CountIn(*database), 7);
  EXPECT_TRUE(Insert(*database).has_value());
}

}  // namespace
}  // namespace hone
