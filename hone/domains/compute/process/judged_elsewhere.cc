// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judged_elsewhere.h"

#include <utility>

namespace hone::compute {
namespace {

constexpr int kBuilds = 3;                           // The candidate, the reference twice.
constexpr std::chrono::milliseconds kGrace{60'000};  // For what is around a build or a run.

class SessionElsewhere final : public Session {
 public:
  SessionElsewhere(std::shared_ptr<JudgeProcesses> processes, std::unique_ptr<JudgeProcess> judge,
                   std::chrono::milliseconds build_timeout)
      : processes_(std::move(processes)), judge_(std::move(judge)), build_timeout_(build_timeout) {}

  ~SessionElsewhere() override {
    JudgeRequest request;
    request.what = JudgeRequest::What::kClose;
    if (!judge_->Ask(std::move(request), kGrace)) return;
    processes_->GiveBack(std::move(judge_));
  }

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) override {
    JudgeRequest request;
    request.what = JudgeRequest::What::kPrepare;
    request.candidate = candidate;
    return judge_->Ask(std::move(request), kBuilds * build_timeout_ + kGrace, stop);
  }

  Result<RunResult> Run(const RunOrder& order) override {
    JudgeRequest request;
    request.what = JudgeRequest::What::kRun;
    request.candidate = order.candidate;
    request.arm = order.arm;
    request.seed = order.seed;
    request.position = order.position;
    request.limit = order.limit;
    request.cpus = order.cpus;
    return judge_->Ask(std::move(request), 2 * (order.limit + kGrace), order.stop);
  }

 private:
  const std::shared_ptr<JudgeProcesses> processes_;
  std::unique_ptr<JudgeProcess> judge_;
  const std::chrono::milliseconds build_timeout_;
};

}  // namespace

Result<std::unique_ptr<Session>> OpenElsewhere(std::shared_ptr<JudgeProcesses> processes,
                                               const Options& options,
                                               std::chrono::milliseconds build_timeout) {
  auto judge = processes->Take();
  if (!judge) return judge.error();
  JudgeRequest request;
  request.what = JudgeRequest::What::kOpen;
  request.options = options;
  const auto opened = (*judge)->Ask(std::move(request), kGrace);
  if (!opened) {
    processes->GiveBack(std::move(*judge));
    return opened.error();
  }
  return std::make_unique<SessionElsewhere>(std::move(processes), std::move(*judge), build_timeout);
}

}  // namespace hone::compute
