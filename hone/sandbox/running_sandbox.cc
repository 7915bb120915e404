// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/running_sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/process/awaited_result.h"
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
    if (!sandbox_.group) return 0;
    const int tasks = OurGroupPlaces().places.contains("pids") ? sandbox_.group->Read().tasks
                                                               : CountTasks(sandbox_.warden);
    return std::max(0, tasks - 1);
  }

  void Kill() override { stop_.request_stop(); }

  bool WaitFor(std::chrono::milliseconds wait_timeout) override {
    return result_.WaitFor(wait_timeout);
  }

  const Result<SandboxResult>& Wait() override { return result_.Wait(); }

 private:
  void Finish() {
    const std::stop_callback on_stop(command_.stop, [this] { Kill(); });
    auto result = FinishSandbox(command_, sandbox_, stop_.get_token());
    if (result) result->protections = ProbeProtections();
    {
      const std::lock_guard lock(mutex_);
      sandbox_.group.reset();
    }
    result_.Set(std::move(result));
  }

  const SandboxCommand command_;
  std::mutex mutex_;
  StartedSandbox sandbox_;  // The thread's, but for what Threads reads; its group: mutex_.

  std::stop_source stop_;
  AwaitedResult<Result<SandboxResult>> result_;
  std::thread thread_;  // Last: it uses all the others.
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
