// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/process/linked_process.h"
#include "hone/core/result.h"
#include "hone/domains/compute/process/judge_messages.h"

namespace hone::compute {

// How the process of a judge is started.
struct JudgeProgram {
  std::filesystem::path program;  // Which calls ServeJudge when it is started with our arguments.
  std::filesystem::path cache;
  std::int64_t memory_mib = 0;  // That a judge may use; it dies at more.
};

inline constexpr const char* kJudgeWord = "judge-process";  // The first of the arguments.
inline constexpr int kJudgeOutOfMemory = 77;                // Exit status.

// Half of the machine's memory, at least 1 GiB and at most 16; $HONE_JUDGE_MEMORY_MIB if it is set.
std::int64_t DefaultJudgeMemoryMib();

// A process that judges, one session at a time. Whatever happens to it, the worst that its owner
// sees is an Error. Not safe for concurrent use. The destructor ends it.
class JudgeProcess {
 public:
  static Result<std::unique_ptr<JudgeProcess>> Start(const JudgeProgram& program);

  // Waits for the answer until `limit` has passed. After an Error that the judge itself did not
  // give the process is gone: kUnavailable says how it ended.
  Result<RunResult> Ask(JudgeRequest request, std::chrono::milliseconds limit,
                        const std::stop_token& stop = {});

  bool is_alive() const { return process_.is_alive(); }
  pid_t pid() const { return process_.pid(); }

 private:
  JudgeProcess(LinkedProcess process, std::int64_t memory_mib)
      : process_(std::move(process)), memory_mib_(memory_mib) {}

  Result<JudgeAnswer> Await(std::uint64_t number, std::chrono::milliseconds limit,
                            const std::stop_token& stop);
  Error Bury(const Error& seen);

  LinkedProcess process_;
  const std::int64_t memory_mib_;
  std::uint64_t requests_ = 0;
};

// Judges that wait for a session: one is started where none waits. Safe for concurrent use.
class JudgeProcesses {
 public:
  explicit JudgeProcesses(JudgeProgram program) : program_(std::move(program)) {}

  Result<std::unique_ptr<JudgeProcess>> Take();

  // The last one given back is the first one taken: its caches are the warmest. One that has died
  // or grown is not kept.
  void GiveBack(std::unique_ptr<JudgeProcess> process);

 private:
  const JudgeProgram program_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<JudgeProcess>> idle_;  // Protected by mutex_.
};

}  // namespace hone::compute
