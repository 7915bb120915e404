// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/chat_settings.h"
#include "hone/agent/chat/exchange_log.h"
#include "hone/base/clock.h"

namespace hone::agent {

// Answers what was recorded, without an endpoint. A request gets what came of the first recorded
// one that is equal to it and was not used yet, so threads may ask in any order. One that was never
// recorded is kCorrupt, with the place where it differs from the one that was next; one after the
// last is kNotFound.
class RecordedModel final : public ChatModel {
 public:
  RecordedModel(std::vector<StoredExchange> exchanges, std::string campaign);

  // Of a campaign in a store.
  static Result<std::unique_ptr<RecordedModel>> Open(const std::filesystem::path& store,
                                                     const std::string& campaign, Clock& clock);

  using ChatModel::Ask;
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override;
  std::string name() const override;

  // What came of this request, which is then used; null if it is not, or no more, in the record.
  const ChatOutcome* Find(const ChatRequest& request);
  bool is_used_up() const;  // Everything that was recorded was asked for.

 private:
  Error Different(const Json& request) const;
  std::vector<bool>::const_iterator NextLike(const Json& request) const;

  std::vector<StoredExchange> exchanges_;
  std::string campaign_;
  std::map<std::string, std::deque<std::size_t>> by_digest_;  // Not used yet.
  std::vector<bool> is_used_;
  mutable std::mutex mutex_;
};

// Records every exchange of a model, and answers what is recorded already from the record: a
// campaign that is resumed walks through it again. What is not in the record is asked: whether the
// campaign then still decides the same, its ledger tells.
class RecordingModel final : public ChatModel {
 public:
  // `budget` is what the model spends from, and from here on kept in the log. A failure after
  // `stop` is not recorded: whoever resumes asks again.
  RecordingModel(std::unique_ptr<ChatModel> model, const std::shared_ptr<ChatBudget>& budget,
                 ExchangeLog log, std::unique_ptr<RecordedModel> recorded,
                 std::stop_token stop = {});

  using ChatModel::Ask;
  Result<ChatAnswer> Ask(const ChatRequest& request, const ChatListener& listener) override;
  std::string name() const override { return model_->name(); }

 private:
  std::unique_ptr<ChatModel> model_;
  std::shared_ptr<const ChatBudget> budget_;
  std::shared_ptr<ExchangeLog> log_;  // The budget's keeper has it too.
  std::unique_ptr<RecordedModel> recorded_;
  std::stop_token stop_;
};

// The model of a campaign that this process runs: recorded in the store, and within a budget that
// counts what earlier processes spent for the same campaign.
Result<std::unique_ptr<ChatModel>> OpenCampaignModel(const ChatSettings& settings, Clock& clock,
                                                     const std::filesystem::path& store,
                                                     const std::string& campaign);

}  // namespace hone::agent
