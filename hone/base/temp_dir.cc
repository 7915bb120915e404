// SPDX-License-Identifier: Apache-2.0
#include "hone/base/temp_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <system_error>

#include "hone/base/errno_error.h"
#include "hone/base/log.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

// A program that ran in the folder may have taken away its own rights to parts of it.
void AllowRemoval(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, ignored);
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (fs::is_directory(entry->symlink_status(ignored))) AllowRemoval(entry->path());
  }
}

void Remove(const fs::path& folder) {
  if (folder.empty()) return;
  std::error_code fault;
  fs::remove_all(folder, fault);
  if (!fault) return;
  AllowRemoval(folder);
  fs::remove_all(folder, fault);
  if (fault) Log(LogLevel::kWarning, "{}: left behind: {}", folder.native(), fault.message());
}

fs::path TempRoot() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? fs::path(named) : fs::path("/tmp");
}

// What mkdtemp makes of the end of a name.
constexpr std::string_view kMadeUp = "-XXXXXX";

// After this time a folder has been locked by who made it.
constexpr std::chrono::seconds kSurelyLocked{60};

// The lock on the folder, given up with the process; nothing if another process has it.
std::optional<Descriptor> LockOf(const std::string& folder) {
  Descriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return lock;
}

bool IsOurs(const fs::path& folder) {
  struct stat facts {};
  return ::lstat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

}  // namespace

Result<TempDir> TempDir::Make(std::string_view prefix, const fs::path& parent) {
  const fs::path place = parent.empty() ? TempRoot() : parent;
  std::string name = (place / fmt::format("{}{}", prefix, kMadeUp)).native();
  if (::mkdtemp(name.data()) == nullptr) return ErrnoError(place.native(), errno);
  return TempDir(fs::path(name), LockOf(name).value_or(Descriptor()));
}

Result<void> TempDir::KeepAs(const fs::path& place) {
  if (::rename(path_.c_str(), place.c_str()) != 0) return ErrnoError(place.native(), errno);
  path_.clear();
  lock_ = Descriptor();
  return {};
}

void TempDir::RemoveAbandoned(std::string_view prefix, const fs::path& parent) {
  const auto long_ago = fs::file_time_type::clock::now() - kSurelyLocked;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent.empty() ? TempRoot() : parent, ignored), end;
       entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const bool is_named = name.size() == prefix.size() + kMadeUp.size() && name.starts_with(prefix);
    if (!is_named || fs::last_write_time(entry->path(), ignored) > long_ago) continue;
    if (IsOurs(entry->path()) && LockOf(entry->path().native())) Remove(entry->path());
  }
}

TempDir::TempDir(TempDir&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

TempDir::~TempDir() { Remove(path_); }

}  // namespace hone
