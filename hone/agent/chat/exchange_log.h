// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_budget.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/chat_record.h"
#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

namespace hone::agent {

// One request and what came of it.
// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct StoredExchange {
  std::int64_t position = 0;
  Json request;                        // As ToJson(ChatRequest) has it.
  std::optional<ChatOutcome> outcome;  // None: it was asked, and nobody knows what came of it.
};

// The exchanges of one campaign with its language model, in the store (docs/formats/store.md), in
// the order in which they were asked. Each call is durable when it returns. Keys are in headers,
// and so in no exchange. Safe for concurrent use by threads of the process that runs the campaign.
class ExchangeLog {
 public:
  // Makes the table where it is missing. In kReadOnly a store without the table has no exchanges.
  static Result<ExchangeLog> Open(const std::filesystem::path& store, const std::string& campaign,
                                  Clock& clock, Database::Mode mode = Database::Mode::kReadWrite);

  // Before it is asked; `spent` is the sum of all that the campaign has spent by now. Returns the
  // position.
  Result<std::int64_t> Begin(const Json& request, const ChatSpending& spent);

  // The most that the campaign has spent if the process is killed from here on, with all that is
  // asked and not finished: what a ChatBudget tells its keeper.
  Result<void> NoteAtMost(const ChatSpending& at_most);

  // Before the outcome is used. `spent` is the sum of all that the campaign has spent by now.
  Result<void> Finish(std::int64_t position, const Result<ChatAnswer>& outcome,
                      const ChatSpending& spent);

  // In order, without those whose process was killed before the answer was there.
  Result<std::vector<StoredExchange>> Read();

  // What the campaign has spent so far. What a killed process had asked for counts with the most
  // that it may have cost: its exchanges are closed, and nobody waits for them any more.
  Result<ChatSpending> TakeOver();

 private:
  ExchangeLog(Database database, std::string campaign, Clock& clock, bool has_table);

  Database database_;
  std::string campaign_;
  Clock* clock_;
  bool has_table_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace hone::agent
