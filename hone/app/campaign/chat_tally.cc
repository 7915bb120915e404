// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/chat_tally.h"

#include <fmt/format.h>

#include "hone/agent/chat/exchange_log.h"
#include "hone/agent/proposer/proposal_answer.h"
#include "hone/tune/campaign/words.h"

namespace hone::app {

Result<ChatTally> TallyChat(const std::filesystem::path& store, const std::string& campaign,
                            Clock& clock) {
  auto log = agent::ExchangeLog::Open(store, campaign, clock, Database::Mode::kReadOnly);
  if (!log) return log.error();
  const auto exchanges = log->Read();
  if (!exchanges) return exchanges.error();
  ChatTally tally;
  for (const agent::StoredExchange& exchange : *exchanges) {
    if (!exchange.outcome) continue;
    ++tally.asked;
    const auto& answer = exchange.outcome->answer;
    if (!answer) {
      tally.last_error = answer.error().message;
      continue;
    }
    ++tally.answered;
    tally.candidates += agent::CandidatesListedIn(answer->message.text);
    tally.tokens += answer->usage.prompt_tokens + answer->usage.answer_tokens;
  }
  return tally;
}

std::string ChatText(const ChatTally& tally) {
  std::string text = fmt::format("asked {}: {} with {}, {}", tune::CountText(tally.asked, "time"),
                                 tune::CountText(tally.answered, "answer"),
                                 tune::CountText(tally.candidates, "candidate"),
                                 tune::CountText(tally.tokens, "token"));
  if (!tally.last_error.empty()) text += "; the last without one: " + tally.last_error;
  return text;
}

Json ChatJson(const ChatTally& tally) {
  return {{"asked", tally.asked},
          {"answered", tally.answered},
          {"candidates", tally.candidates},
          {"tokens", tally.tokens},
          {"last_error", tally.last_error}};
}

}  // namespace hone::app
