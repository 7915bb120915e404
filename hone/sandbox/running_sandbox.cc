// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/running_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/sandbox/sandbox_finish.h"
#include "hone/sandbox/sandbox_probe.h"
#include "hone/sandbox/sandbox_start.h"

namespace hone {
namespace {

// The tasks of the process and of all that descend from it.
int CountTasks(pid_t root) {
  int count = 0;
  std::vector<pid_t> left{root};
  while (!left.empty()) {
    const std::filesystem::path tasks = fmt::format("/proc/{}/task", left.back());
    left.pop_back();
    std::error_code failed;
    for (const auto& task : std::filesystem::directory_iterator(tasks, failed)) {
      ++count;
      const auto children = ReadFile(task.path() / "children");
      std::istringstream pids(children ? *children : "");
      for (pid_t pid = 0; pids >> pid;) left.push_back(pid);
    }
  }
  return count;
}

class Running final : public RunningSandbox {
 public:
  Running(SandboxCommand command, StartedSandbox sandbox)
      : command_(std::move(command)), sandbox_(std::move(sandbox)), thread_([this] { Finish(); }) {}

  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  ~Running() override {
    Kill();
    thread_.join();
  }

  int pidfd() const override { return sandbox_.pidfd.get(); }

  int Threads() override {
    const std::lock_guard lock(mutex_);
    if (result_) return 0;
    const int tasks = OurGroupPlaces().places.contains("pids") ? sandbox_.group->Read().tasks
                                                               : CountTasks(sandbox_.warden);
    return std::max(0, tasks - 1);
  }

  void Kill() override { stop_.request_stop(); }

  bool WaitFor(std::chrono::milliseconds wait_timeout) override {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, wait_timeout, [this] { return result_.has_value(); });
  }

  const Result<SandboxResult>& Wait() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return result_.has_value(); });
    return *result_;
  }

 private:
  void Finish() {
    const std::stop_callback on_stop(command_.stop, [this] { Kill(); });
    auto result = FinishSandbox(command_, sandbox_, stop_.get_token());
    if (result) result->protections = ProbeProtections();
    const std::lock_guard lock(mutex_);
    sandbox_.group.reset();
    result_ = std::move(result);
    ended_.notify_all();
  }

  const SandboxCommand command_;
  StartedSandbox sandbox_;  // The thread's, but for what Threads reads.

  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Result<SandboxResult>> result_;  // Protected by mutex_ until it is set.
  std::thread thread_;                           // Last: it uses all the others.
};

}  // namespace

Result<std::unique_ptr<RunningSandbox>> RunningSandbox::Start(SandboxCommand command) {
  if (auto good = CheckProtections(command); !good) return good.error();
  auto sandbox = StartSandbox(command, UsualStyle());
  if (!sandbox) return sandbox.error();
  command.descriptors.clear();
  return std::make_unique<Running>(std::move(command), *std::move(sandbox));
}

}  // namespace hone
