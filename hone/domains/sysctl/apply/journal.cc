// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/base/owner_only.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrevious = "previous-";

Error Unwritable(const fs::path& path, const std::string& why) {
  return {Errc::kUnavailable,
          fmt::format("{}: the journal of kernel parameters cannot be written, so none is touched: "
                      "{}",
                      path.native(), why)};
}

Error Unwritable(const fs::path& path, int number) {
  return Unwritable(path, ErrnoError("", number).message.substr(2));
}

Result<void> SyncFolder(const fs::path& folder) {
  const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.is_open()) return ErrnoError(folder.native(), errno);
  if (::fsync(handle.get()) != 0 && errno != EINVAL) return ErrnoError(folder.native(), errno);
  return {};
}

std::string UtcNow() {
  const std::time_t now = ::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// The number in "previous-12".
std::optional<unsigned> NumberOf(const fs::path& file) {
  const std::string name = file.filename();
  unsigned number = 0;
  if (!name.starts_with(kPrevious)) return std::nullopt;
  const char* const end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data() + kPrevious.size(), end, number);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace

fs::path Journal::PathIn(const fs::path& folder) { return folder / "journal"; }

Journal::Journal(fs::path path, Descriptor file, std::size_t records, std::int64_t size)
    : path_(std::move(path)), file_(std::move(file)), records_(records), size_(size) {}

Result<Journal> Journal::Create(const fs::path& folder, const HeldState& state) {
  const fs::path path = PathIn(folder);
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0) {
    return Error{Errc::kStale, fmt::format("{}: there is a journal already; run: hone sysctl "
                                           "restore",
                                           path.native())};
  }
  const std::string head = HeadText(state, UtcNow());
  if (auto written = WriteFileDurably(path, head); !written) {
    const std::string& message = written.error().message;
    const std::string prefix = path.native() + ": ";
    return Unwritable(path, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
  }
  Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.is_open() || ::fchmod(file.get(), 0600) != 0) return Unwritable(path, errno);
  return Journal(path, std::move(file), HeadRecords(state), static_cast<std::int64_t>(head.size()));
}

Result<std::optional<JournalText>> Journal::Read(const fs::path& folder) {
  auto text = ReadJournalFile(PathIn(folder));
  if (!text && text.error().code == Errc::kNotFound) return std::optional<JournalText>();
  if (!text) return text.error();
  return std::optional<JournalText>(std::move(*text));
}

Result<void> Journal::Append(const std::vector<JournalRecord>& records) {
  std::string text;
  for (std::size_t i = 0; i < records.size(); ++i) text += RecordText(records[i], records_ + i);
  ssize_t written = 0;
  do {
    written = ::write(file_.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(text.size())) {
    const int number = written < 0 ? errno : ENOSPC;
    // Half a record would read as damage once another one follows it.
    [[maybe_unused]] const int cut = ::ftruncate(file_.get(), size_);
    return Unwritable(path_, number);
  }
  records_ += records.size();
  size_ += written;
  return {};
}

Result<void> Journal::Sync() {
  if (::fdatasync(file_.get()) != 0) return Unwritable(path_, errno);
  return {};
}

Result<void> Journal::Remove(const fs::path& folder) { return RemoveDurably(PathIn(folder)); }

std::vector<fs::path> PreviousIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    if (NumberOf(at->path())) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end(), [](const fs::path& one, const fs::path& other) {
    return *NumberOf(one) > *NumberOf(other);
  });
  return files;
}

Result<void> KeepAsPrevious(const fs::path& folder) {
  const auto files = PreviousIn(folder);
  const unsigned number = files.empty() ? 1 : *NumberOf(files.front()) + 1;
  const fs::path target = folder / fmt::format("{}{}", kPrevious, number);
  if (::rename(Journal::PathIn(folder).c_str(), target.c_str()) != 0) {
    return Unwritable(target, errno);
  }
  return SyncFolder(folder);
}

// The folder too: who can write there could exchange the file between the look and the reading.
Result<JournalText> ReadJournalFile(const fs::path& file) {
  for (const fs::path& one : {file, file.parent_path()}) {
    if (auto ours = CheckOnlyWeWrite(one); !ours) return ours.error();
  }
  const auto text = ReadFile(file);
  if (!text) return text.error();
  return ReadJournalText(*text, file.native());
}

Result<void> RemoveDurably(const fs::path& file) {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return ErrnoError(file.native(), errno);
  return SyncFolder(file.parent_path());
}

std::string BootId() {
  auto text = ReadFile("/proc/sys/kernel/random/boot_id");
  if (!text) return "";
  while (text->ends_with('\n')) text->pop_back();
  return *text;
}

std::int64_t BootClockMs() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1'000'000;
}

}  // namespace hone::sysctl
