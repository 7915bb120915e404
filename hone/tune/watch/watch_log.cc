// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/watch/watch_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"

namespace hone::tune {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

// Where the last whole line ends.
Result<off_t> EndOfLines(const Descriptor& file, const fs::path& path) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) return ErrnoError(path.native(), errno);
  for (off_t end = size; end > 0; --end) {
    char last = 0;
    if (::pread(file.get(), &last, 1, end - 1) != 1) return ErrnoError(path.native(), errno);
    if (last == '\n') return end;
  }
  return 0;
}

Result<void> WriteAll(const Descriptor& file, const fs::path& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(path.native(), errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<WatchLog> WatchLog::Open(const fs::path& path) {
  if (path.has_parent_path()) {
    if (auto made = MakeFolder(path.parent_path()); !made) return made.error();
  }
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!file.is_open()) return ErrnoError(path.native(), errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoError(path.native(), errno);
    return Error{Errc::kStale, fmt::format("{}: another watch writes to it; end that one, or name "
                                           "another file with --log",
                                           path.native())};
  }
  const auto end = EndOfLines(file, path);
  if (!end) return end.error();
  if (::ftruncate(file.get(), *end) != 0) return ErrnoError(path.native(), errno);
  return WatchLog(path, std::move(file));
}

Result<void> WatchLog::Append(const WatchEvent& event) {
  if (auto written = WriteAll(file_, path_, Dump(ToJson(event)) + '\n'); !written) return written;
  if (event.kind == WatchEvent::Kind::kRun || ::fdatasync(file_.get()) == 0) return {};
  return ErrnoError(path_.native(), errno);
}

Result<std::vector<WatchEvent>> ReadWatchLog(const fs::path& path) {
  const auto text = ReadFile(path, kMaxBytes);
  if (!text) return text.error();
  std::vector<WatchEvent> events;
  std::string_view rest = *text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string what = fmt::format("{}:{}", path.native(), events.size() + 1);
    const auto json = ParseJson(rest.substr(0, end), what);
    if (!json) return Error{Errc::kCorrupt, json.error().message};
    auto event = ReadWatchEvent(*json, what);
    if (!event) return Error{Errc::kCorrupt, event.error().message};
    events.push_back(std::move(*event));
    rest.remove_prefix(end + 1);
  }
  return events;
}

}  // namespace hone::tune
