// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/agent_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"

namespace hone::agent {
namespace {

constexpr std::size_t kMaxLogBytes = 1U << 30;

// These tell what happened and are not needed to go on.
bool IsRemark(const Json& record) {
  const auto kind = record.find("kind");
  return kind != record.end() && (*kind == "failure" || *kind == "end" || *kind == "proof");
}

Result<void> WriteWhole(int file, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoError(name, errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file) != 0 && errno != EINVAL && errno != EROFS) return ErrnoError(name, errno);
  return {};
}

}  // namespace

std::string AgentLog::Where() const {
  const std::size_t number = next_ == 0 ? 0 : recorded_[next_ - 1].number;
  return fmt::format("{}:{}", name_, number);
}

Result<void> AgentLog::Take(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    if (end == text.npos) break;  // Cut off by a kill.
    const std::string where = fmt::format("{}:{}", name_, number);
    auto record = ParseJson(text.substr(0, end), where);
    if (!record) return record.error();
    if (!record->is_object()) {
      return Error{Errc::kCorrupt, where + ": expected an object; give another log"};
    }
    if (!IsRemark(*record)) recorded_.push_back({number, std::move(*record)});
    text.remove_prefix(end + 1);
  }
  return {};
}

Result<AgentLog> AgentLog::Read(const std::filesystem::path& path) {
  const auto text = ReadFile(path, kMaxLogBytes);
  if (!text) return text.error();
  AgentLog log;
  log.name_ = path.string();
  log.is_read_only_ = true;
  if (auto taken = log.Take(*text); !taken) return taken.error();
  return log;
}

Result<AgentLog> AgentLog::Open(const std::filesystem::path& path) {
  AgentLog log;
  log.name_ = path.string();
  log.file_ =
      Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0644));
  if (!log.file_.is_open()) return ErrnoError(log.name_, errno);
  if (::flock(log.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{Errc::kStale, log.name_ + ": another process writes it; wait, or give another"};
  }
  const auto text = ReadFile(path, kMaxLogBytes);
  if (!text) return text.error();
  if (auto taken = log.Take(*text); !taken) return taken.error();
  const auto whole = text->rfind('\n');
  const std::size_t kept = whole == std::string::npos ? 0 : whole + 1;
  if (kept != text->size() && ::ftruncate(log.file_.get(), static_cast<off_t>(kept)) != 0) {
    return ErrnoError(log.name_, errno);
  }
  return log;
}

Result<std::optional<Json>> AgentLog::Next(std::string_view kind) {
  if (is_at_end()) return std::optional<Json>();
  Line& line = recorded_[next_++];
  const auto found = line.record.find("kind");
  if (found == line.record.end() || *found != kind) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: expected a line of the kind \"{}\": the log is of another walk; "
                             "give another --log",
                             Where(), kind)};
  }
  return std::optional<Json>(std::move(line.record));
}

std::string_view AgentLog::next_kind() const {
  if (is_at_end()) return "";
  const auto kind = recorded_[next_].record.find("kind");
  const auto* const text =
      kind == recorded_[next_].record.end() ? nullptr : kind->get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

Result<void> AgentLog::Append(std::string_view kind, Json record) {
  record["kind"] = kind;
  if (is_read_only_) {
    return Error{Errc::kUnsupported, name_ + ": is only read; nothing can be added"};
  }
  if (!file_.is_open()) return {};
  const std::lock_guard lock(*appending_);
  return WriteWhole(file_.get(), Dump(record) + "\n", name_);
}

}  // namespace hone::agent
