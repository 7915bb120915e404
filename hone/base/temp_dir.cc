// SPDX-License-Identifier: Apache-2.0
#include "hone/base/temp_dir.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
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

}  // namespace

Result<TempDir> TempDir::Make(std::string_view prefix) {
  const fs::path place = TempRoot();
  std::string name = (place / fmt::format("{}-XXXXXX", prefix)).native();
  if (::mkdtemp(name.data()) == nullptr) return ErrnoError(place.native(), errno);
  return TempDir(fs::path(name));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempDir::~TempDir() { Remove(path_); }

}  // namespace hone
