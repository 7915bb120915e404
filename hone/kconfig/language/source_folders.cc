// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/language/source_folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "hone/base/errno_error.h"

namespace hone::kconfig {
namespace {

constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // A pipe must not hold us up.

Error CannotOpen(const std::string& name, int reason) {
  const std::string message = fmt::format("can't open file \"{}\"", name.substr(0, 1000));
  if (reason == ENOENT || reason == ENOTDIR) return {Errc::kNotFound, message};
  return {Errc::kInvalidArgument, fmt::format("{}: {}", message, std::strerror(reason))};
}

FileStamp StampOf(const struct stat& facts) {
  return {.device = facts.st_dev,
          .inode = facts.st_ino,
          .size = static_cast<std::uint64_t>(facts.st_size),
          .modified_s = facts.st_mtim.tv_sec,
          .modified_ns = facts.st_mtim.tv_nsec,
          .changed_s = facts.st_ctim.tv_sec,
          .changed_ns = facts.st_ctim.tv_nsec};
}

Result<SourceFolders::FileText> ReadAllOf(int file, const std::string& name, TextArena& arena,
                                          std::size_t largest) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) return ErrnoError(name, errno);
  if (!S_ISREG(facts.st_mode)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("\"{}\": not a plain file but a folder or a device", name)};
  }
  if (static_cast<std::size_t>(facts.st_size) > largest) {
    return Error{Errc::kInvalidArgument, fmt::format("\"{}\": {} bytes; at most {} are read", name,
                                                     facts.st_size, largest)};
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  char* room = arena.Reserve(size + 1);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t count = read(file, room + got, size - got);
    if (count < 0) return ErrnoError(name, errno);
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  return SourceFolders::FileText{std::string_view(room, got), {0, StampOf(facts)}};
}

}  // namespace

SourceFolders::SourceFolders(const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) {
    names_.push_back(folder.string());
    const char* name = folder.empty() ? "." : folder.c_str();
    open_.emplace_back(open(name, O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
}

Result<SourceFolders::FileText> SourceFolders::Read(const std::string& name, TextArena& arena,
                                                    std::size_t largest) const {
  if (name.starts_with('/')) {
    const Descriptor file(open(name.c_str(), kOpenFlags));
    if (!file.is_open()) return CannotOpen(name, errno);
    return ReadAllOf(file.get(), name, arena, largest);
  }
  int reason = ENOENT;
  for (std::size_t folder = 0; folder < open_.size(); ++folder) {
    if (!open_[folder].is_open()) continue;
    const Descriptor file(openat(open_[folder].get(), name.c_str(), kOpenFlags));
    if (file.is_open()) {
      auto text = ReadAllOf(file.get(), name, arena, largest);
      if (text) text->found.folder = folder;
      return text;
    }
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
  }
  return CannotOpen(name, reason);
}

std::optional<FoundFile> SourceFolders::Find(const char* name) const {
  struct stat facts {};
  if (name[0] == '/') {
    if (stat(name, &facts) != 0) return std::nullopt;
    return FoundFile{0, StampOf(facts)};
  }
  for (std::size_t folder = 0; folder < open_.size(); ++folder) {
    if (!open_[folder].is_open()) continue;
    if (fstatat(open_[folder].get(), name, &facts, 0) == 0) {
      return FoundFile{folder, StampOf(facts)};
    }
  }
  return std::nullopt;
}

std::vector<std::string> SourceFolders::Glob(const std::string& pattern) const {
  std::vector<std::string> found_names;
  for (const std::string& folder : names_) {
    const bool is_absolute = pattern.starts_with('/');
    const std::string base = is_absolute || folder.empty() ? "" : folder + "/";
    glob_t found{};
    if (glob((base + pattern).c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        found_names.emplace_back(std::string_view(found.gl_pathv[i]).substr(base.size()));
      }
    }
    globfree(&found);
    if (!found_names.empty() || is_absolute) break;
  }
  std::sort(found_names.begin(), found_names.end());
  return found_names;
}

}  // namespace hone::kconfig
