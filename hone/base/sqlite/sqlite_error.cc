// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sqlite/sqlite_error.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "hone/base/errno_error.h"

namespace hone {
namespace {

struct SqliteMeaning {
  Errc code;
  std::string text;
};

SqliteMeaning MeaningOfSqliteCode(int code, const char* detail) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Errc::kUnavailable,
              "locked by another process: wait for it to end or stop it, then run the same command "
              "again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Errc::kUnsupported,
              "cannot be written: make the file and its folder writable, or choose another place"};
    case SQLITE_CANTOPEN:
      return {Errc::kUnsupported,
              "cannot be opened: make its folder writable, or choose another place"};
    case SQLITE_NOTADB:
      return {Errc::kCorrupt,
              "not a database: move the file away, or name the right one; it was not changed"};
    case SQLITE_CORRUPT:
      return {
          Errc::kCorrupt,
          fmt::format("damaged ({}): keep a copy, then restore a backup or move it away", detail)};
    case SQLITE_NOMEM:
      return {Errc::kUnavailable, "out of memory: free some, then run the same command again"};
    case SQLITE_IOERR:
      return {Errc::kUnavailable,
              fmt::format("input/output error {}: the disk may be failing (see dmesg)", code)};
    case SQLITE_CONSTRAINT:
      return {Errc::kInvalidArgument, fmt::format("refused: {}", detail)};
    default:
      return {Errc::kInvalidArgument, detail};
  }
}

bool IsFull(int code, int system) {
  const int primary = code & 0xff;
  const bool is_of_the_system = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
  return primary == SQLITE_FULL || (is_of_the_system && (system == ENOSPC || system == EDQUOT));
}

}  // namespace

Error SqliteError(std::string_view path, int code, sqlite3* db) {
  const int system = db != nullptr ? sqlite3_system_errno(db) : 0;
  if (IsFull(code, system)) return ErrnoError(path, ENOSPC);
  // The file that is missing may be one that SQLite could not make beside ours.
  std::error_code ignored;
  const bool is_about_other = system == ENOENT && std::filesystem::exists(path, ignored);
  if ((code & 0xff) == SQLITE_CANTOPEN && system != 0 && !is_about_other) {
    return ErrnoError(path, system);
  }
  const char* detail = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  SqliteMeaning meaning = MeaningOfSqliteCode(code, detail);
  return Error{meaning.code, fmt::format("{}: {}", path, meaning.text)};
}

}  // namespace hone
