// SPDX-License-Identifier: Apache-2.0
#include "hone/eval/sqlite/change_signal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/errno_error.h"
#include "hone/base/log.h"
#include "hone/core/check.h"

namespace hone {
namespace {

// The file is held open for writing, so that the kernel reports its closing if the process dies.
constexpr std::uint32_t kRings = IN_MODIFY | IN_CLOSE_WRITE;

class FileSignal final : public ChangeSignal {
 public:
  FileSignal(std::filesystem::path path, Descriptor file, Descriptor changes, Descriptor end,
             std::function<void()> on_ring)
      : path_(std::move(path)),
        file_(std::move(file)),
        changes_(std::move(changes)),
        end_(std::move(end)),
        on_ring_(std::move(on_ring)),
        listener_([this] {
          try {
            Listen();
          } catch (const std::exception& problem) {
            Log(LogLevel::kError, "{}: {}; rings are no longer heard", path_.string(),
                problem.what());
          }
        }) {}

  ~FileSignal() override {
    const std::uint64_t one = 1;
    HONE_CHECK(::write(end_.get(), &one, sizeof one) == sizeof one);
  }

  void Ring() override {
    if (::pwrite(file_.get(), "!", 1, 0) == 1) return;
    Log(LogLevel::kWarning, "{}; waiters may wake late", ErrnoError(path_.string(), errno).message);
  }

 private:
  void Listen() {
    std::array<pollfd, 2> sources{{{end_.get(), POLLIN, 0}, {changes_.get(), POLLIN, 0}}};
    alignas(inotify_event) std::array<char, 4096> events;
    while (true) {
      if (::poll(sources.data(), sources.size(), -1) < 0) {
        HONE_CHECK(errno == EINTR);
        continue;
      }
      if (sources[0].revents != 0) return;
      while (::read(changes_.get(), events.data(), events.size()) > 0) {
      }
      on_ring_();
    }
  }

  // Constant after construction.
  const std::filesystem::path path_;
  const Descriptor file_;
  const Descriptor changes_;
  const Descriptor end_;
  const std::function<void()> on_ring_;
  std::jthread listener_;  // Last, so that it ends before what it uses.
};

}  // namespace

ChangeNotifier::ChangeNotifier(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}

// Who hears it late still finds everything.
void ChangeNotifier::Ring() const {
  if (file_.is_open()) [[maybe_unused]]
    const auto rung = ::pwrite(file_.get(), "!", 1, 0);
}

std::filesystem::path ChangeSignalOf(const std::filesystem::path& database) {
  return database.string() + ".bell";
}

Result<std::unique_ptr<ChangeSignal>> WatchChanges(const std::filesystem::path& path,
                                                   std::function<void()> on_ring) {
  const auto fail = [&path] { return ErrnoError(path.string(), errno); };
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) return fail();
  Descriptor changes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!changes.is_open()) return fail();
  if (::inotify_add_watch(changes.get(), path.c_str(), kRings) < 0) return fail();
  Descriptor end(::eventfd(0, EFD_CLOEXEC));
  if (!end.is_open()) return fail();
  return std::make_unique<FileSignal>(path, std::move(file), std::move(changes), std::move(end),
                                      std::move(on_ring));
}

}  // namespace hone
