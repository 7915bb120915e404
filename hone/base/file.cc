// SPDX-License-Identifier: Apache-2.0
#include "hone/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/not_regular.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = 1 << 16;
constexpr int kOnlyThere = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
constexpr mode_t kForOthers = 0077;

fs::path FolderOf(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

Error FileError(const fs::path& path) { return ErrnoError(path.native(), errno); }

Result<void> WriteAll(const Descriptor& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Some file systems cannot sync a folder and say EINVAL; they keep renames in order themselves.
Result<void> SyncFolder(const fs::path& folder) {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) return FileError(folder);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) return FileError(folder);
  return {};
}

// A new file beside the one to be replaced, with the mode that the latter has or would get. It is
// removed when destroyed, unless it took the other's place.
class Draft {
 public:
  explicit Draft(const fs::path& target) : target_(target) {
    static std::atomic<unsigned> next{0};
    do {
      path_ = FolderOf(target) / fmt::format(".hone-{}-{}.tmp", ::getpid(), next++);
      file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!file_.is_open() && errno == EEXIST);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (file_.is_open()) ::unlink(path_.c_str());
  }

  Result<void> Fill(std::span<const std::string_view> parts) {
    if (!file_.is_open()) return FileError(target_);
    struct stat old {};
    if (::stat(target_.c_str(), &old) == 0 && ::fchmod(file_.get(), old.st_mode & 07777) != 0) {
      return FileError(target_);
    }
    for (const std::string_view part : parts) {
      if (auto written = WriteAll(file_, target_, part); !written) return written;
    }
    return {};
  }

  Result<void> Sync() {
    if (::fsync(file_.get()) != 0) return FileError(target_);
    return {};
  }

  Result<void> TakePlace() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return FileError(target_);
    file_.Close();
    return {};
  }

 private:
  const fs::path& target_;
  fs::path path_;
  Descriptor file_;
};

enum class Links { kFollowed, kRefused };

const char* KindOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

Error TooLarge(const fs::path& path, std::size_t max) {
  return {Errc::kInvalidArgument,
          fmt::format("{}: larger than the {} bytes allowed", path.native(), max)};
}

struct RegularFile {
  Descriptor file;
  std::size_t bytes = 0;
};

// Looked at before it is opened, since opening a device may already do something, and after it.
Result<RegularFile> OpenRegular(const fs::path& path, Links links) {
  const bool is_followed = links == Links::kFollowed;
  struct stat facts {};
  const int looked =
      ::fstatat(AT_FDCWD, path.c_str(), &facts, is_followed ? 0 : AT_SYMLINK_NOFOLLOW);
  if (looked != 0) return FileError(path);
  if (!S_ISREG(facts.st_mode)) return NotRegular(path, facts.st_mode);
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor file(::open(path.c_str(), is_followed ? kFlags : kFlags | O_NOFOLLOW));
  if (!file.is_open() || ::fstat(file.get(), &facts) != 0) return FileError(path);
  if (!S_ISREG(facts.st_mode)) return NotRegular(path, facts.st_mode);
  return RegularFile{std::move(file), static_cast<std::size_t>(facts.st_size)};
}

// What the shell hands over on the command line, `<(…)` and `<`, and the empty file: these name no
// file that somebody else put somewhere.
bool IsHandedOver(const fs::path& path) {
  const std::string& name = path.native();
  constexpr std::string_view kDescriptors = "/dev/fd/";
  const bool is_descriptor = name.starts_with(kDescriptors) &&
                             name.find_first_not_of("0123456789", kDescriptors.size()) == name.npos;
  return is_descriptor || name == "/dev/stdin" || name == "/dev/null";
}

Result<std::size_t> ReadUpTo(const Descriptor& file, const fs::path& path, std::span<char> room) {
  std::size_t used = 0;
  while (used < room.size()) {
    const ssize_t got = ::read(file.get(), room.data() + used, room.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  return used;
}

Result<std::string> ReadAll(const Descriptor& file, const fs::path& path, std::size_t max) {
  std::string text;
  while (true) {
    const std::size_t used = text.size();
    text.resize(used + kChunk);
    const auto got = ReadUpTo(file, path, std::span(text).subspan(used));
    if (!got) return got.error();
    text.resize(used + *got);
    if (text.size() > max) return TooLarge(path, max);
    if (*got < kChunk) return text;
  }
}

Result<std::string> ReadChecked(const fs::path& path, Links links, std::size_t max) {
  const auto opened = OpenRegular(path, links);
  if (!opened) return opened.error();
  if (opened->bytes > max) return TooLarge(path, max);
  return ReadAll(opened->file, path, max);
}

// Whoever can open a lock can hold it for ever. The owner of the folder can do that anyway.
Result<void> KeepPrivate(const Descriptor& file, const fs::path& path) {
  struct stat facts {};
  struct stat folder {};
  if (::fstat(file.get(), &facts) != 0) return FileError(path);
  if (!S_ISREG(facts.st_mode) || facts.st_nlink > 1) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: no plain file with one name, as a lock is; remove it, then run "
                             "the same command again",
                             path.native())};
  }
  const bool is_of_folder =
      ::stat(FolderOf(path).c_str(), &folder) == 0 && folder.st_uid == facts.st_uid;
  if (facts.st_uid != ::geteuid() && !is_of_folder) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: belongs to user {}, who could hold this lock for ever; remove "
                             "it, then run the same command again",
                             path.native(), facts.st_uid)};
  }
  // Not every file system has modes.
  if ((facts.st_mode & kForOthers) != 0) {
    [[maybe_unused]] const int narrowed = ::fchmod(file.get(), facts.st_mode & 07777 & ~kForOthers);
  }
  return {};
}

std::optional<int> HolderOf(const Descriptor& file) {
  std::array<char, 32> text{};
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
  int pid = 0;
  if (size <= 0 || std::from_chars(text.data(), text.data() + size, pid).ec != std::errc{}) {
    return std::nullopt;
  }
  return pid;
}

}  // namespace

Error NotRegular(const fs::path& path, mode_t mode) {
  if (S_ISDIR(mode)) return {Errc::kInvalidArgument, ErrnoError(path.native(), EISDIR).message};
  const std::string why =
      S_ISLNK(mode) ? "; links are not followed" : fmt::format(" but {}", KindOf(mode));
  return {Errc::kInvalidArgument, fmt::format("{}: not a regular file{}", path.native(), why)};
}

Result<std::string> ReadFile(const fs::path& path, std::size_t max) {
  if (!IsHandedOver(path)) return ReadChecked(path, Links::kFollowed, max);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return FileError(path);
  return ReadAll(file, path, max);
}

Result<std::string> ReadRegularFile(const fs::path& path, std::size_t max) {
  return ReadChecked(path, Links::kRefused, max);
}

Result<std::string> ReadOpenFile(const Descriptor& file, const fs::path& path, std::size_t max) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return FileError(path);
  if (!S_ISREG(facts.st_mode)) return NotRegular(path, facts.st_mode);
  if (static_cast<std::size_t>(facts.st_size) > max) return TooLarge(path, max);
  return ReadAll(file, path, max);
}

Result<void> WriteFileDurably(const fs::path& path, std::string_view text) {
  return WriteFileDurably(path, std::span(&text, 1));
}

Result<void> WriteFileDurably(const fs::path& path, std::span<const std::string_view> parts) {
  Draft draft(path);
  if (auto filled = draft.Fill(parts); !filled) return filled;
  if (auto synced = draft.Sync(); !synced) return synced;
  if (auto placed = draft.TakePlace(); !placed) return placed;
  return SyncFolder(FolderOf(path));
}

Result<void> WriteFileAtomically(const fs::path& path, std::string_view text) {
  Draft draft(path);
  if (auto filled = draft.Fill(std::span(&text, 1)); !filled) return filled;
  return draft.TakePlace();
}

Result<void> MakeFolder(const fs::path& path) {
  std::error_code fault;
  fs::create_directories(path, fault);
  if (fault) return ErrnoError(path.native(), fault.value());
  return {};
}

Result<FileLock> FileLock::Take(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | kOnlyThere | O_NONBLOCK, 0600));
  if (!file.is_open()) return FileError(path);
  if (auto kept = KeepPrivate(file, path); !kept) return kept.error();
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return FileError(path);
    const auto holder = HolderOf(file);
    return Error{Errc::kStale, fmt::format("{}: held by {}", path.native(),
                                           holder ? fmt::format("process {}", *holder)
                                                  : std::string("another process"))};
  }
  // The pid only serves messages: where it cannot be written (a full disk) the lock holds all the
  // same.
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(file.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), pid.data(), pid.size(), 0);
  }
  return FileLock(std::move(file));
}

bool FileLock::IsHeld(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | kOnlyThere | O_NONBLOCK));
  return file.is_open() && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace hone
