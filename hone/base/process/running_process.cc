// SPDX-License-Identifier: Apache-2.0
#include "hone/base/process/running_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

#include <stop_token>
#include <thread>
#include <utility>

#include "hone/base/process/awaited_result.h"
#include "hone/base/process/process_finish.h"
#include "hone/base/process/process_start.h"
#include "hone/base/process/supervisor.h"

namespace hone {
namespace {

class Running final : public RunningProcess {
 public:
  Running(Command command, StartedProcess process, OnLine on_line, Descriptor requests)
      : supervisor_(process.supervisor),
        command_(std::move(command)),
        on_line_(std::move(on_line)),
        requests_(std::move(requests)),
        thread_([this, process = std::move(process)]() mutable { Finish(std::move(process)); }) {}

  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  ~Running() override {
    End();
    thread_.join();
  }

  pid_t supervisor() const override { return supervisor_; }

  void AskToEnd() override {
    ::send(requests_.get(), &kSupervisorTerminate, sizeof kSupervisorTerminate, MSG_NOSIGNAL);
  }

  void End() override { stop_.request_stop(); }

  bool WaitFor(std::chrono::milliseconds wait_timeout) override {
    return result_.WaitFor(wait_timeout);
  }

  const Result<ProcessResult>& Wait() override { return result_.Wait(); }

 private:
  void Finish(StartedProcess process) {
    const std::stop_callback on_stop(command_.stop, [this] { End(); });
    result_.Set(FinishProcess(command_, std::move(process), stop_.get_token(), on_line_));
  }

  // Constant after construction.
  const pid_t supervisor_;
  const Command command_;
  const OnLine on_line_;
  const Descriptor requests_;  // A second handle on our end of the supervisor's socket.

  std::stop_source stop_;
  AwaitedResult<Result<ProcessResult>> result_;
  std::thread thread_;  // Last: it uses all the others.
};

}  // namespace

Result<std::unique_ptr<RunningProcess>> RunningProcess::Start(Command command, OnLine on_line) {
  auto process = StartProcess(command);
  if (!process) return process.error();
  Descriptor requests(::fcntl(process->channels.supervisor.ours.get(), F_DUPFD_CLOEXEC, 0));
  return std::make_unique<Running>(std::move(command), *std::move(process), std::move(on_line),
                                   std::move(requests));
}

}  // namespace hone
