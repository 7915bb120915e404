// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/kernel/kernel_attempt.h"
#include "hone/agent/kernel/kernel_prompt.h"
#include "hone/core/result.h"

namespace hone::agent {

// How the attempts of a search build on each other.
enum class KernelMode : std::uint8_t {
  kRefine,  // Each line improves its own attempts, and is shown the best run of them.
  kEvolve,  // Each line is an island with an archive; attempts have one parent or two.
};
std::string_view NameOf(KernelMode mode);  // "refine", "evolve"
Result<KernelMode> KernelModeNamed(std::string_view name);

struct KernelSearchSettings {
  KernelMode mode = KernelMode::kRefine;
  std::int64_t lines = 4;  // Written side by side.
  std::int64_t rounds = 4;
  std::size_t max_shown = 3;  // Attempts that a line which refines is shown at once.
  double crossover = 0.3;     // How often an attempt of an island has a parent of its neighbour.
  std::uint64_t seed = 1;     // Draws parents and answers.
  std::int64_t max_tokens = 16'384;  // Of an answer.
};

struct KernelSearchResult {
  std::vector<KernelAttempt> attempts = {};  // By number; those that were lost are not there.
  std::vector<std::string> notes = {};       // What was lost and why, for people.
  bool is_cut_short = false;                 // Rounds are missing.

  // The accepted ones, the best by worth first; among equals the earlier.
  std::vector<const KernelAttempt*> Ranked() const;
  const KernelAttempt* Best() const;  // Null if none was accepted.

  // The attempt and all that it descends from, oldest first.
  std::vector<KernelAttempt> LineageOf(const KernelAttempt& attempt) const;
};

// What somebody who waits is told; called by one thread at a time.
using KernelListener = std::function<void(const KernelAttempt& attempt)>;

// Lets a model write kernels in rounds, and judges each. An answer or a verdict that a service did
// not give is nobody's failure: that attempt is lost, and said; a spent budget ends the search.
// Each exchange with the model and each attempt is in the log when it is told; a search over the
// same log goes on where it ended and asks for nothing twice. The same log, seed and answers give
// the same search. kInvalidArgument: the log is of another one. kUnavailable: not one attempt could
// be made, and nobody stopped it.
Result<KernelSearchResult> SearchKernel(const KernelBrief& brief,
                                        const KernelSearchSettings& settings, ChatModel& model,
                                        const KernelJudging& judge, AgentLog& log,
                                        const KernelListener& listener,
                                        const std::stop_token& stop);

}  // namespace hone::agent
