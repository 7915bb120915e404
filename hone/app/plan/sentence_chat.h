// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hone/agent/chat/chat_budget.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/knowledge/sentence.h"

namespace hone::app {

// What a language model was asked about a sentence, what came of it, and what that cost.
struct SentenceReading {
  agent::ChatRequest request;
  Result<agent::ChatAnswer> outcome;
  agent::ChatSpending spent;
};

// A model that reads one sentence and notes the exchange, which belongs to the campaign that comes
// of it. For one thread at a time.
class SentenceReader final : public agent::ChatModel {
 public:
  // `budget` is what the model spends from.
  SentenceReader(std::unique_ptr<agent::ChatModel> model,
                 std::shared_ptr<const agent::ChatBudget> budget);

  using ChatModel::Ask;
  Result<agent::ChatAnswer> Ask(const agent::ChatRequest& request,
                                const agent::ChatListener& listener) override;
  std::string name() const override { return model_->name(); }

  const std::optional<SentenceReading>& reading() const { return reading_; }

 private:
  std::unique_ptr<agent::ChatModel> model_;
  std::shared_ptr<const agent::ChatBudget> budget_;
  std::optional<SentenceReading> reading_;
};

// What a sentence asks for, as a language model reads it: one of our presets, an aim, and
// parameters beside, of which only those are taken that the rules may add too (sysctl::MayAdd). An
// Error if the model gives no such answer; then the rules of sysctl::ChooseFor are there.
Result<sysctl::SentenceChoice> ChooseByChat(const std::string& sentence, agent::ChatModel& model);

}  // namespace hone::app
