// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/process/judge_process.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "hone/base/host.h"
#include "hone/base/json/json_frames.h"

namespace hone::compute {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxRestingBytes = std::size_t{1} << 30;
constexpr std::chrono::milliseconds kEndGrace{2'000};

}  // namespace

std::int64_t DefaultJudgeMemoryMib() {
  if (const char* given = std::getenv("HONE_JUDGE_MEMORY_MIB"); given != nullptr) {
    if (const std::int64_t mib = std::atoll(given); mib > 0) return mib;
  }
  return std::clamp<std::int64_t>(MachineMemoryMib() / 2, 1024, std::int64_t{16} * 1024);
}

Result<std::unique_ptr<JudgeProcess>> JudgeProcess::Start(const JudgeProgram& program) {
  auto process = LinkedProcess::Start(
      {program.program,
       {"hone", kJudgeWord, program.cache.string(), std::to_string(program.memory_mib)}});
  if (!process) {
    return Error{process.error().code, "the judge's process: " + process.error().message};
  }
  return std::unique_ptr<JudgeProcess>(new JudgeProcess(*std::move(process), program.memory_mib));
}

Error JudgeProcess::Bury(const Error& seen) {
  const bool is_leaving = seen.code == Errc::kUnavailable;  // It has closed its end.
  const int status = process_.End(is_leaving ? kEndGrace : std::chrono::milliseconds{0});
  const auto gone = [](std::string how) {
    return Error{Errc::kUnavailable, "the judge's process " + std::move(how)};
  };
  if (!is_leaving) return gone("was ended: " + seen.message);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kJudgeOutOfMemory) {
    return gone(
        fmt::format("ran out of memory: it may use {} MiB (HONE_JUDGE_MEMORY_MIB)", memory_mib_));
  }
  if (WIFSIGNALED(status)) return gone(TextOfEnd(status));
  return gone(fmt::format("{}: {}", TextOfEnd(status), seen.message));
}

Result<JudgeAnswer> JudgeProcess::Await(std::uint64_t number, std::chrono::milliseconds limit,
                                        const std::stop_token& stop) {
  const auto deadline = SteadyClock::now() + limit;
  // Sent once, from whichever thread asks us to stop; this thread only reads meanwhile.
  const std::stop_callback pass_on(stop, [&] {
    JudgeRequest request;
    request.what = JudgeRequest::What::kStop;
    request.number = number;
    [[maybe_unused]] const auto sent = SendFrame(process_.socket(), ToJson(request));
  });
  const auto json = ReceiveFrame(process_.socket(), deadline);
  if (!json) return json.error();
  auto answer = ReadJudgeAnswer(*json);
  if (answer && answer->number != number) {
    return Error{Errc::kCorrupt, "it answered another request"};
  }
  return answer;
}

Result<RunResult> JudgeProcess::Ask(JudgeRequest request, std::chrono::milliseconds limit,
                                    const std::stop_token& stop) {
  if (!is_alive()) return Error{Errc::kUnavailable, "the judge's process is gone"};
  request.number = ++requests_;
  if (const auto sent = SendFrame(process_.socket(), ToJson(request)); !sent) {
    return Bury(sent.error());
  }
  auto answer = Await(request.number, limit, stop);
  if (!answer) return Bury(answer.error());
  return std::move(answer->result);
}

Result<std::unique_ptr<JudgeProcess>> JudgeProcesses::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto process = std::move(idle_.back());
      idle_.pop_back();
      return process;
    }
  }
  return JudgeProcess::Start(program_);
}

void JudgeProcesses::GiveBack(std::unique_ptr<JudgeProcess> process) {
  if (!process->is_alive() || PrivateMemoryOf(process->pid()) > kMaxRestingBytes) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(process));
}

}  // namespace hone::compute
