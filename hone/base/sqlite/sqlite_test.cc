// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sqlite/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <thread>

#include "hone/base/temp_dir.h"

namespace hone {
namespace {

using testing::HasSubstr;

class SqliteTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TempDir::Make("hone-sqlite-test");
    ASSERT_TRUE(folder.has_value()) << folder.error().message;
    folder_.emplace(*std::move(folder));
  }

  std::filesystem::path File() const { return folder_->path() / "a" / "hone.db"; }

  Database Open(Database::Mode mode = Database::Mode::kReadWrite) const {
    auto database = Database::Open(File(), mode);
    EXPECT_TRUE(database.has_value()) << database.error().message;
    return *std::move(database);
  }

  static void Run(Database& database, std::string_view sql) {
    const auto done = database.Execute(sql);
    ASSERT_TRUE(done.has_value()) << done.error().message;
  }

  static std::string Ask(Database& database, std::string_view sql) {
    auto statement = database.Prepare(sql);
    EXPECT_TRUE(statement.has_value()) << statement.error().message;
    const auto has_row = statement->Step();
    EXPECT_TRUE(has_row.has_value() && *has_row);
    return statement->Text(0);
  }

  std::optional<TempDir> folder_;
};

TEST_F(SqliteTest, OpensDurablyInANewFolder) {
  Database database = Open();
  EXPECT_EQ(Ask(database, "PRAGMA journal_mode"), "wal");
  EXPECT_EQ(Ask(database, "PRAGMA synchronous"), "2");
  EXPECT_EQ(Ask(database, "PRAGMA foreign_keys"), "1");
  EXPECT_EQ(Ask(database, "PRAGMA busy_timeout"), "10000");
  EXPECT_EQ(database.path(), File().native());
}

TEST_F(SqliteTest, NobodyElseMayReadItsFiles) {
  Database database = Open();
  Run(database, "CREATE TABLE t (a)");
  for (const auto& entry : std::filesystem::directory_iterator(File().parent_path())) {
    const auto mode = entry.status().permissions();
    EXPECT_EQ(mode & std::filesystem::perms::mask,
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << entry.path();
  }
}

TEST_F(SqliteTest, ValuesComeBackAsTheyWereBound) {
  auto database = Database::OpenInMemory();
  ASSERT_TRUE(database.has_value());
  Run(*database, "CREATE TABLE t (i, d, s, e, n, b)");
  auto insert = database->Prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  ASSERT_TRUE(insert.has_value());
  const std::string text = std::string("a\0b", 3) + "é";
  const std::int64_t min = std::numeric_limits<std::int64_t>::min();
  insert->Bind(1, min).Bind(2, 0.1).Bind(3, text).Bind(4, std::string_view{}).BindNull(5);
  insert->BindBytes(6, std::string_view("\xff\0\x01", 3));
  ASSERT_TRUE(insert->Run().has_value());
  EXPECT_EQ(database->Changes(), 1);

  auto select = database->Prepare("SELECT * FROM t");
  ASSERT_TRUE(select.has_value());
  ASSERT_TRUE(select->Step().value());
  EXPECT_EQ(select->Integer(0), min);
  EXPECT_EQ(select->Number(1), 0.1);
  EXPECT_EQ(select->Text(2), text);
  EXPECT_EQ(select->Text(3), "");
  EXPECT_FALSE(select->IsNull(3));
  EXPECT_TRUE(select->IsNull(4));
  EXPECT_EQ(select->View(5), std::string_view("\xff\0\x01", 3));
  EXPECT_FALSE(select->Step().value());
}

TEST_F(SqliteTest, AStatementIsUsedAgain) {
  auto database = Database::OpenInMemory();
  ASSERT_TRUE(database.has_value());
  Run(*database, "CREATE TABLE t (i)");
  auto insert = database->Prepare("INSERT INTO t VALUES (?1)");
  ASSERT_TRUE(insert.has_value());
  for (std::int64_t i = 0; i < 3; ++i) ASSERT_TRUE(insert->Bind(1, i).Run().has_value());
  EXPECT_EQ(Ask(*database, "SELECT group_concat(i) FROM t"), "0,1,2");
}

TEST_F(SqliteTest, ATransactionIsAllOrNothing) {
  Database database = Open();
  Run(database, "CREATE TABLE t (i)");
  ASSERT_TRUE(database.Transact([&] { return database.Execute("INSERT INTO t VALUES (1)"); }));
  const auto failed = database.Transact([&]() -> Result<void> {
    if (auto done = database.Execute("INSERT INTO t VALUES (2)"); !done) return done;
    return Error{Errc::kStale, "changed my mind"};
  });
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, Errc::kStale);
  EXPECT_EQ(Ask(database, "SELECT group_concat(i) FROM t"), "1");
}

TEST_F(SqliteTest, WhatIsReadTogetherIsOfOneMoment) {
  Database reader = Open();
  Database writer = Open();
  Run(writer, "CREATE TABLE t (i); INSERT INTO t VALUES (1)");
  const auto done = reader.Read([&]() -> Result<void> {
    EXPECT_EQ(Ask(reader, "SELECT count(*) FROM t"), "1");
    Run(writer, "INSERT INTO t VALUES (2)");
    EXPECT_EQ(Ask(reader, "SELECT count(*) FROM t"), "1");
    return {};
  });
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(Ask(reader, "SELECT count(*) FROM t"), "2");
}

TEST_F(SqliteTest, ABrokenConstraintIsTheCallersFault) {
  Database database = Open();
  Run(database, "CREATE TABLE p (i INTEGER PRIMARY KEY); CREATE TABLE c (i REFERENCES p(i))");
  const auto done = database.Execute("INSERT INTO c VALUES (1)");
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::kInvalidArgument);
  EXPECT_THAT(done.error().message, HasSubstr("FOREIGN KEY"));
  EXPECT_EQ(database.Prepare("SELECT nothing FROM nowhere").error().code, Errc::kInvalidArgument);
}

TEST_F(SqliteTest, ATextThatIsTooLargeFailsTheStep) {
  auto database = Database::OpenInMemory();
  ASSERT_TRUE(database.has_value());
  auto statement = database->Prepare("SELECT ?1");
  ASSERT_TRUE(statement.has_value());
  const std::string_view huge(std::string_view("").data(), std::size_t{1} << 40);
  EXPECT_EQ(statement->Bind(1, huge).Step().error().code, Errc::kInvalidArgument);
  statement->Reset();
  EXPECT_TRUE(statement->Bind(1, "x").Step().value());
}

TEST_F(SqliteTest, EachStepOfAMigrationRunsOnce) {
  {
    Database database = Open();
    ASSERT_TRUE(database.Migrate("a", {"CREATE TABLE one (i)"}).has_value());
    ASSERT_TRUE(database.Migrate("b", {"CREATE TABLE other (i)"}).has_value());
  }
  Database database = Open();
  const auto done = database.Migrate("a", {"CREATE TABLE one (i)", "CREATE TABLE two (i)"});
  ASSERT_TRUE(done.has_value()) << done.error().message;
  Run(database, "INSERT INTO one VALUES (1); INSERT INTO two VALUES (1)");
  EXPECT_EQ(Ask(database,
                "SELECT group_concat(module || version) FROM (SELECT * FROM hone_schema "
                "ORDER BY module)"),
            "a2,b1");
}

TEST_F(SqliteTest, AFailedStepLeavesTheVersionBefore) {
  Database database = Open();
  const auto failed = database.Migrate(
      "a", {"CREATE TABLE one (i)", "CREATE TABLE two (i); INSERT INTO no VALUES (1)"});
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(Ask(database, "SELECT version FROM hone_schema"), "1");
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'two'"), "0");
}

TEST_F(SqliteTest, AFileOfANewerBuildIsRefused) {
  Database database = Open();
  ASSERT_TRUE(database.Migrate("a", {"CREATE TABLE one (i)", "CREATE TABLE two (i)"}).has_value());
  const auto refused = database.Migrate("a", {"CREATE TABLE one (i)"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::kUnsupported);
  EXPECT_EQ(refused.error().message,
            File().native() +
                ": written by a newer build (a version 2, this one knows 1): use that build");
}

TEST_F(SqliteTest, AReaderNeedsNoMigrationOfACurrentFile) {
  {
    Database database = Open();
    ASSERT_TRUE(database.Migrate("a", {"CREATE TABLE one (i)"}).has_value());
  }
  Database reader = Open(Database::Mode::kReadOnly);
  EXPECT_TRUE(reader.Migrate("a", {"CREATE TABLE one (i)"}).has_value());
  EXPECT_EQ(reader.Execute("INSERT INTO one VALUES (1)").error().code, Errc::kUnsupported);
}

TEST_F(SqliteTest, AReaderDoesNotMakeTheFile) {
  const auto database = Database::Open(File(), Database::Mode::kReadOnly);
  ASSERT_FALSE(database.has_value());
  EXPECT_EQ(database.error().code, Errc::kNotFound);
  EXPECT_EQ(database.error().message, File().native() + ": no such file or folder");
}

TEST_F(SqliteTest, ManyConnectionsMakeAndMigrateOneFileAtOnce) {
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      auto database = Database::Open(File());
      ASSERT_TRUE(database.has_value()) << database.error().message;
      const auto done = database->Migrate("a", {"CREATE TABLE t (i)", "CREATE TABLE u (i)"});
      ASSERT_TRUE(done.has_value()) << done.error().message;
      for (int k = 0; k < 10; ++k) {
        const auto inserted =
            database->Transact([&] { return database->Execute("INSERT INTO t VALUES (1)"); });
        ASSERT_TRUE(inserted.has_value()) << inserted.error().message;
      }
    });
  }
  threads.clear();
  Database database = Open();
  EXPECT_EQ(Ask(database, "SELECT count(*) FROM t"), "80");
}

}  // namespace
}  // namespace hone
