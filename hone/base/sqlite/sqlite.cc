// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sqlite/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/sqlite/sqlite_error.h"
#include "hone/core/check.h"

namespace hone {
namespace {

constexpr int kBusyMilliseconds = 10'000;

// The file as a URI that says that nobody writes it.
std::string ImmutableUri(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  std::string uri = "file://";
  for (const char c : whole.native()) {
    if (c == '%' || c == '?' || c == '#') {
      uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// What is stored (sources, settings of machines) is for nobody else to read. The files beside it
// get its mode. A name that is no file, or a file that cannot be made, is told by opening it.
void MakeForOwner(const std::string& place) {
  if (place.starts_with("file:") || place == ":memory:") return;
  const Descriptor made(::open(place.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
}

}  // namespace

Statement::Statement(sqlite3_stmt* statement, const std::string* path)
    : statement_(statement), path_(path) {}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      path_(other.path_),
      bind_code_(other.bind_code_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(path_, other.path_);
  std::swap(bind_code_, other.bind_code_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

// A wrong index, or a statement in mid-step, is a fault of our code; a text can be too large.
Statement& Statement::Note(int bound) {
  HONE_CHECK(bound != SQLITE_RANGE && bound != SQLITE_MISUSE);
  if (bind_code_ == SQLITE_OK) bind_code_ = bound;
  return *this;
}

Statement& Statement::Bind(int index, std::int64_t value) {
  return Note(sqlite3_bind_int64(statement_, index, value));
}

Statement& Statement::Bind(int index, double value) {
  return Note(sqlite3_bind_double(statement_, index, value));
}

Statement& Statement::Bind(int index, std::string_view value) {
  const char* text = value.data() != nullptr ? value.data() : "";  // Null would bind NULL.
  return Note(
      sqlite3_bind_text64(statement_, index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

Statement& Statement::BindBytes(int index, std::string_view value) {
  const char* bytes = value.data() != nullptr ? value.data() : "";  // Null would bind NULL.
  return Note(sqlite3_bind_blob64(statement_, index, bytes, value.size(), SQLITE_TRANSIENT));
}

Statement& Statement::BindNull(int index) { return Note(sqlite3_bind_null(statement_, index)); }

Result<bool> Statement::Step() {
  if (bind_code_ != SQLITE_OK) return SqliteError(*path_, bind_code_, nullptr);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = SqliteError(*path_, code, sqlite3_db_handle(statement_));
  sqlite3_reset(statement_);
  return error;
}

Result<void> Statement::Run() {
  while (true) {
    const auto has_row = Step();
    if (has_row && *has_row) continue;
    Reset();
    if (!has_row) return has_row.error();
    return {};
  }
}

void Statement::Reset() {
  sqlite3_reset(statement_);
  bind_code_ = SQLITE_OK;
}

std::int64_t Statement::Integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::Number(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::Text(int column) const { return std::string(View(column)); }

std::string_view Statement::View(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return bytes != nullptr ? std::string_view(bytes, size) : std::string_view();
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Database::Database(sqlite3* db, std::string path)
    : db_(db), path_(std::make_unique<std::string>(std::move(path))) {}

Database::Database(Database&& other) noexcept
    : db_(std::exchange(other.db_, nullptr)), path_(std::move(other.path_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(path_, other.path_);
  return *this;
}

Database::~Database() { sqlite3_close_v2(db_); }

// `place` is a file name, a URI or ":memory:"; `path` is what messages call it.
Result<Database> Database::Connect(const std::string& path, const std::string& place, int flags) {
  if ((flags & SQLITE_OPEN_CREATE) != 0) MakeForOwner(place);
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(place.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(db, path);
  if (db == nullptr) return SqliteError(path, SQLITE_NOMEM, nullptr);
  sqlite3_extended_result_codes(db, 1);
  if (code != SQLITE_OK) return SqliteError(path, sqlite3_extended_errcode(db), db);
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  const bool is_writer = (flags & SQLITE_OPEN_READWRITE) != 0;
  // The first read shows whether the file is a database that can be opened at all.
  auto configured = database.Execute(
      is_writer ? "PRAGMA foreign_keys=ON; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"
                : "SELECT count(*) FROM sqlite_schema");
  if (!configured) return configured.error();
  return database;
}

Result<Database> Database::Open(const std::filesystem::path& path, Mode mode) {
  const std::string& name = path.native();
  if (mode == Mode::kReadWrite) {
    if (path.has_parent_path()) {
      if (auto made = MakeFolder(path.parent_path()); !made) return made.error();
    }
    auto database = Connect(name, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (database || database.error().code != Errc::kNotFound) return database;
    // SQLite then tried to open the missing file for reading, and forgot why it could not make it.
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    return ::access(folder.c_str(), W_OK) == 0 ? database.error() : ErrnoError(name, errno);
  }
  auto database = Connect(name, name, SQLITE_OPEN_READONLY);
  if (database || database.error().code != Errc::kUnsupported) return database;
  // A reader of a WAL database makes a shared-memory file beside it. Where the folder cannot be
  // written and no log waits to be read, the file is all there is.
  std::error_code ignored;
  if (std::filesystem::exists(name + "-wal", ignored)) return database;
  return Connect(name, ImmutableUri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

Result<Database> Database::OpenInMemory() {
  return Connect("(in memory)", ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
}

Result<void> Database::Execute(std::string_view sql) {
  const int code = sqlite3_exec(db_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return SqliteError(*path_, code, db_);
  return {};
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return SqliteError(*path_, code, db_);
  return Statement(statement, path_.get());
}

Result<void> Database::Transact(const std::function<Result<void>()>& body) {
  return Within("BEGIN IMMEDIATE", body);
}

Result<void> Database::Read(const std::function<Result<void>()>& body) {
  return Within("BEGIN", body);
}

Result<void> Database::Within(std::string_view begin, const std::function<Result<void>()>& body) {
  HONE_CHECK(sqlite3_get_autocommit(db_) != 0);
  if (auto begun = Execute(begin); !begun) return begun;
  auto done = body();
  if (done) done = Execute("COMMIT");
  // A full disk may have rolled back already. If this rollback fails the connection's next
  // transaction says so; the file stays whole either way.
  if (sqlite3_get_autocommit(db_) == 0) {
    [[maybe_unused]] const auto rolled_back = Execute("ROLLBACK");
  }
  return done;
}

Result<std::int64_t> Database::VersionOf(std::string_view name) {
  auto table = Prepare("SELECT 1 FROM sqlite_schema WHERE name = 'hone_schema'");
  if (!table) return table.error();
  const auto has_table = table->Step();
  if (!has_table) return has_table.error();
  if (!*has_table) return 0;
  auto version = Prepare("SELECT version FROM hone_schema WHERE module = ?1");
  if (!version) return version.error();
  const auto has_row = version->Bind(1, name).Step();
  if (!has_row) return has_row.error();
  return *has_row ? version->Integer(0) : 0;
}

// Runs one step. Another process may be migrating too, so the version is read again inside the
// transaction.
Result<void> Database::Upgrade(std::string_view name, const std::vector<std::string_view>& steps) {
  return Transact([&]() -> Result<void> {
    const auto version = VersionOf(name);
    if (!version) return version.error();
    if (*version >= static_cast<std::int64_t>(steps.size())) return {};
    if (auto made = Execute("CREATE TABLE IF NOT EXISTS hone_schema "
                            "(module TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
        !made) {
      return made;
    }
    if (auto ran = Execute(steps[static_cast<std::size_t>(*version)]); !ran) return ran;
    auto noted = Prepare("INSERT OR REPLACE INTO hone_schema VALUES (?1, ?2)");
    if (!noted) return noted.error();
    return noted->Bind(1, name).Bind(2, *version + 1).Run();
  });
}

Result<void> Database::Migrate(std::string_view name, const std::vector<std::string_view>& steps) {
  while (true) {
    const auto version = VersionOf(name);
    if (!version) return version.error();
    const auto known = static_cast<std::int64_t>(steps.size());
    if (*version > known) {
      return Error{Errc::kUnsupported,
                   fmt::format("{}: written by a newer build ({} version {}, this one knows {}): "
                               "use that build",
                               *path_, name, *version, known)};
    }
    if (*version == known) return {};
    if (auto upgraded = Upgrade(name, steps); !upgraded) return upgraded;
  }
}

std::int64_t Database::Changes() const { return sqlite3_changes64(db_); }

}  // namespace hone
