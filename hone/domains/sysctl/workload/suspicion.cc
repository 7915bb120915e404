// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/suspicion.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/process/process_tree.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/workload/fork_watch.h"

namespace hone::sysctl {
namespace {

using FileId = std::pair<dev_t, ino_t>;

Descriptor MakeFanotify() {
  return Descriptor(
      ::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC));
}

class SuspicionWatch final : public OpenWatch {
 public:
  SuspicionWatch(const std::vector<std::string>& paths, const std::string& network_namespace)
      : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    std::promise<void> ready;
    auto is_ready = ready.get_future();
    thread_ = std::thread([&, this, done = std::move(ready)]() mutable {
      Prepare(paths, network_namespace);
      done.set_value();
      Loop();
    });
    is_ready.wait();
  }

  SuspicionWatch(const SuspicionWatch&) = delete;
  SuspicionWatch& operator=(const SuspicionWatch&) = delete;
  ~SuspicionWatch() override { Join(); }

  void Follow(pid_t command) override {
    const std::lock_guard lock(mutex_);
    commands_.push_back(command);
    // Now, while those who opened it early can still be asked who they are.
    for (const auto& [pid, path] : std::exchange(early_, {})) Add(path, pid);
  }

  void FollowService(pid_t supervisor) override {
    const std::lock_guard lock(mutex_);
    TakeEvents();
    early_.clear();  // Of nobody whom we follow.
    service_ = supervisor;
    service_tree_ = TreeOf(supervisor);
  }

  std::vector<Opening> Stop() override {
    Join();
    for (const auto& [pid, path] : std::exchange(early_, {})) Add(path, pid);
    std::vector<Opening> openings;
    for (const auto& [key, opening] : openings_) openings.push_back(opening);
    return openings;
  }

  const std::vector<std::string>& blind() const override { return blind_; }

 private:
  // In the watching thread, which alone goes into the other namespace.
  void Prepare(const std::vector<std::string>& paths, const std::string& network_namespace) {
    forks_ = ForkWatch::Start();  // Only the first network namespace hears of forks.
    if (!network_namespace.empty()) {
      const Descriptor space(::open(network_namespace.c_str(), O_RDONLY | O_CLOEXEC));
      if (!space.is_open() || ::setns(space.get(), CLONE_NEWNET) != 0) {
        blind_.push_back(
            fmt::format("{}: cannot be entered: {}", network_namespace, ::strerror(errno)));
        return;
      }
    }
    events_ = MakeFanotify();
    knows_who_ = events_.is_open();
    if (!knows_who_) events_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    for (const std::string& path : paths) Mark(path);
  }

  // Holds the file open, so that the kernel keeps what the mark is fixed to.
  void Mark(const std::string& path) {
    Descriptor held(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat facts {};
    int watch = -1;
    if (held.is_open() && ::fstat(held.get(), &facts) == 0) {
      watch = knows_who_
                  ? ::fanotify_mark(events_.get(), FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, path.c_str())
                  : ::inotify_add_watch(events_.get(), path.c_str(), IN_OPEN);
    }
    if (watch < 0) {
      blind_.push_back(fmt::format("{}: cannot be watched: {}", path, ::strerror(errno)));
      return;
    }
    files_[{facts.st_dev, facts.st_ino}] = path;
    watches_[watch] = path;
    held_.push_back(std::move(held));
  }

  void Loop() {
    std::array<pollfd, 2> waits{pollfd{wake_.get(), POLLIN, 0}, pollfd{events_.get(), POLLIN, 0}};
    constexpr int kBetweenListening = 1000;  // Milliseconds.
    while (true) {
      if (::poll(waits.data(), waits.size(), forks_ ? kBetweenListening : -1) == 0) {
        const std::lock_guard lock(mutex_);
        forks_->Listen();
        continue;
      }
      const std::lock_guard lock(mutex_);
      TakeEvents();
      if (waits[0].revents != 0) return;
    }
  }

  // This and what it calls: with mutex_ held, or after the thread has ended.
  void TakeEvents() {
    alignas(fanotify_event_metadata) std::array<char, 8192> buffer;
    ssize_t size = 0;
    while ((size = ::read(events_.get(), buffer.data(), buffer.size())) > 0) {
      knows_who_ ? TakeKnown(buffer.data(), size) : TakeUnknown(buffer.data(), size);
    }
  }

  void TakeKnown(const char* buffer, ssize_t size) {
    const auto* event = reinterpret_cast<const fanotify_event_metadata*>(buffer);
    for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
      const Descriptor file(event->fd);
      struct stat facts {};
      if (!file.is_open() || ::fstat(file.get(), &facts) != 0) continue;
      const auto path = files_.find({facts.st_dev, facts.st_ino});
      if (path == files_.end() || event->pid == ::getpid()) continue;
      if (commands_.empty()) {
        early_.emplace_back(event->pid, path->second);
      } else {
        Add(path->second, event->pid);
      }
    }
  }

  void TakeUnknown(const char* buffer, ssize_t size) {
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      const auto path = watches_.find(event->wd);
      if (path != watches_.end()) Count({path->second, Opening::By::kUnknown, "", 1});
    }
  }

  void Add(const std::string& path, pid_t pid) {
    if (const auto by = WhoIs(pid)) Count({path, *by, ProgramOf(pid), 1});
  }

  // nullopt if it is none of ours.
  std::optional<Opening::By> WhoIs(pid_t pid) {
    const auto is_benchmark = IsBelow(pid, commands_, commands_);
    if (is_benchmark == true) return Opening::By::kBenchmark;
    const auto is_service =
        service_ ? IsBelow(pid, {*service_}, service_tree_) : std::optional(false);
    if (is_service == true) return Opening::By::kService;
    if (!is_benchmark || !is_service) return Opening::By::kEnded;
    return std::nullopt;
  }

  // Unknown if the process has ended, and nobody told who had started it. `tree` is the roots and
  // those of theirs that are older than the watch.
  std::optional<bool> IsBelow(pid_t pid, const std::vector<pid_t>& roots,
                              const std::vector<pid_t>& tree) {
    std::optional<bool> is_below;
    if (forks_) is_below = forks_->DescendsFromAny(pid, tree);
    if (is_below) return is_below;
    for (const pid_t root : roots) {
      is_below = DescendsFrom(pid, root);
      if (is_below == true) return true;
    }
    return is_below;
  }

  void Count(Opening opening) {
    const auto [place, is_new] = openings_.emplace(std::pair(opening.path, opening.by), opening);
    if (!is_new) ++place->second.times;
  }

  void Join() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
    thread_.join();
  }

  const Descriptor wake_;
  std::mutex mutex_;
  // Protected by mutex_.
  std::vector<pid_t> commands_;
  std::optional<pid_t> service_;
  std::vector<pid_t> service_tree_;                   // Its processes when it was followed.
  std::vector<std::pair<pid_t, std::string>> early_;  // Opened before the benchmark was known.
  std::map<std::pair<std::string, Opening::By>, Opening> openings_;
  std::unique_ptr<ForkWatch> forks_;  // Null where the kernel does not tell.

  // The watching thread's own until it has begun to watch, constant from then on.
  Descriptor events_;
  bool knows_who_ = false;
  std::vector<Descriptor> held_;
  std::map<FileId, std::string> files_;
  std::map<int, std::string> watches_;
  std::vector<std::string> blind_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<OpenWatch> OpenWatch::Start(const std::vector<std::string>& paths,
                                            const std::string& network_namespace) {
  return std::make_unique<SuspicionWatch>(paths, network_namespace);
}

bool CanTraceOpenings() { return MakeFanotify().is_open(); }

std::vector<std::string> MarksOf(const std::vector<Opening>& openings) {
  std::vector<std::string> marks;
  for (const Opening& opening : openings) {
    const std::string name = NameOfPath(opening.path);
    switch (opening.by) {
      case Opening::By::kBenchmark:
        marks.push_back(fmt::format("suspicious: the benchmark opened {}", name));
        break;
      case Opening::By::kService:
        marks.push_back(fmt::format("suspicious: the service opened {}", name));
        break;
      case Opening::By::kEnded:
        marks.push_back(fmt::format(
            "suspicious: {} was opened during the run by a process that has ended", name));
        break;
      case Opening::By::kUnknown:
        marks.push_back(fmt::format(
            "suspicious: {} was opened during the run (by whom is seen only with root)", name));
        break;
    }
  }
  return marks;
}

}  // namespace hone::sysctl
