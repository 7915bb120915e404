// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_budget.h"
#include "hone/core/result.h"

namespace hone::agent {

// What a command has spent on language models, in a file beside its log: one that goes on after a
// kill goes on with what is left. A JSON object a line, {"kind":"spent","tokens":70,"picos":0}; the
// last one counts. For one thread at a time, as a budget calls its keeper.
class SpendingFile {
 public:
  // Goes on with the file, or begins it. kStale if another process writes it.
  static Result<SpendingFile> Open(const std::filesystem::path& path);

  const ChatSpending& spent() const { return spent_; }

  // Durable when it returns.
  Result<void> Note(const ChatSpending& at_most);

 private:
  explicit SpendingFile(AgentLog log) : log_(std::move(log)) {}

  AgentLog log_;
  ChatSpending spent_;
};

}  // namespace hone::agent
