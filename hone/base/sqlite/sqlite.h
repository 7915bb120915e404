// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace hone {

// One prepared statement, not to outlive its database. Bind from 1, then Step until it says false;
// Reset to use it again, with the values bound before. Texts are copied.
class Statement {
 public:
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  Statement& Bind(int index, std::int64_t value);
  Statement& Bind(int index, double value);
  Statement& Bind(int index, std::string_view value);
  Statement& BindBytes(int index, std::string_view value);
  Statement& BindNull(int index);

  Result<bool> Step();  // True: a row is there to be read.
  Result<void> Run();   // Steps to the end, then resets.
  void Reset();

  // Columns from 0, of the current row.
  std::int64_t Integer(int column) const;
  double Number(int column) const;
  std::string Text(int column) const;
  std::string_view View(int column) const;  // A text or bytes, until the next Step or Reset.
  bool IsNull(int column) const;

 private:
  friend class Database;
  Statement(sqlite3_stmt* statement, const std::string* path);
  Statement& Note(int bound);

  sqlite3_stmt* statement_;
  const std::string* path_;
  int bind_code_ = 0;  // The first failure to bind: Step returns it.
};

// One connection to a SQLite file in WAL mode with synchronous=FULL: what was committed survives a
// power cut. Not safe for concurrent use; several connections, also of several processes, are.
//
// Errors name the file and what to do: a full disk and a locked file are kUnavailable, a file that
// cannot be written is kUnsupported, a damaged one kCorrupt.
class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  // Creates the file and its folder if needed (not in kReadOnly).
  static Result<Database> Open(const std::filesystem::path& path, Mode mode = Mode::kReadWrite);
  static Result<Database> OpenInMemory();

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  Result<void> Execute(std::string_view sql);  // One or more statements without parameters.
  Result<Statement> Prepare(std::string_view sql);

  // Runs `body` inside BEGIN IMMEDIATE … COMMIT; an error of the body rolls back and is returned.
  // Waits for other writers, for ten seconds at most. Does not nest.
  Result<void> Transact(const std::function<Result<void>()>& body);

  // Runs `body`, which only reads, so that all it sees is of one moment. Does not nest. Many small
  // reads are faster so: the locks are taken once.
  Result<void> Read(const std::function<Result<void>()>& body);

  // Brings the schema to the newest version: step k of `steps` runs once in the file's life, each
  // in a transaction. `name` keeps the versions of several modules in one file apart. A file of a
  // newer build is kUnsupported and stays as it is.
  Result<void> Migrate(std::string_view name, const std::vector<std::string_view>& steps);

  Result<std::int64_t> VersionOf(std::string_view name);  // 0: it was never migrated.

  std::int64_t Changes() const;  // Rows changed by the last statement.
  const std::string& path() const { return *path_; }

 private:
  friend Result<void> AddBm25Given(Database& database);
  Database(sqlite3* db, std::string path);
  static Result<Database> Connect(const std::string& path, const std::string& place, int flags);
  Result<void> Within(std::string_view begin, const std::function<Result<void>()>& body);
  Result<void> Upgrade(std::string_view name, const std::vector<std::string_view>& steps);

  sqlite3* db_;
  std::unique_ptr<std::string> path_;  // On the heap: statements point to it.
};

}  // namespace hone
