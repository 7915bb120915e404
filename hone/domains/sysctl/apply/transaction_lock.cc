// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/apply/transaction_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>

#include "hone/base/errno_error.h"
#include "hone/domains/sysctl/apply/journal.h"

namespace hone::sysctl {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLockPoll{5};

// A disk that has become read-only must not keep us from putting things back.
Descriptor OpenLock(const fs::path& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0600));
  if (!file.is_open() && errno == EROFS) {
    file = Descriptor(::open(path.c_str(), O_RDONLY | kFlags));
    if (!file.is_open()) errno = EROFS;
  }
  return file;
}

// What the journal says of the holder. Without one it is about to begin or to end.
struct Holder {
  bool is_passing = true;
  std::string words = "another process";
};

Holder HolderIn(const fs::path& folder) {
  Holder holder;
  const auto journal = Journal::Read(folder);
  if (!journal || !*journal) return holder;
  const HeldState& state = (*journal)->state;
  if (state.keep_until_ms) {
    holder.is_passing = false;
    const std::int64_t left = std::max<std::int64_t>(0, *state.keep_until_ms - BootClockMs());
    holder.words = fmt::format(
        "{}, which waits {} s more to be confirmed; run: hone sysctl confirm, or: hone sysctl "
        "restore",
        state.reason, left / 1000);
    return holder;
  }
  const bool is_dead = ::kill(static_cast<pid_t>(state.pid), 0) != 0 && errno == ESRCH;
  holder.is_passing = is_dead;  // The guardian is not, and puts things back.
  holder.words =
      fmt::format("process {} ({}); wait until it has ended, or stop it", state.pid, state.reason);
  return holder;
}

}  // namespace

Result<TransactionLock> TransactionLock::Take(const fs::path& folder,
                                              std::chrono::milliseconds wait_timeout) {
  const fs::path path = folder / "lock";
  Descriptor file = OpenLock(path);
  if (!file.is_open()) return ErrnoError(path.native(), errno);
  const auto end = Clock::now() + wait_timeout;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return ErrnoError(path.native(), errno);
    const Holder holder = HolderIn(folder);
    if (!holder.is_passing || Clock::now() >= end) {
      return Error{Errc::kStale, fmt::format("kernel parameters ({}): held by {}", folder.native(),
                                             holder.words)};
    }
    std::this_thread::sleep_for(kLockPoll);
  }
  return TransactionLock(std::move(file));
}

}  // namespace hone::sysctl
