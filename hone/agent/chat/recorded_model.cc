// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/recorded_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/agent/chat/chat_prices.h"
#include "hone/agent/chat/chat_record.h"
#include "hone/agent/chat/openai_wire.h"

namespace hone::agent {

RecordedModel::RecordedModel(std::vector<StoredExchange> exchanges, std::string campaign)
    : exchanges_(std::move(exchanges)), campaign_(std::move(campaign)) {
  std::erase_if(exchanges_, [](const StoredExchange& one) { return !one.outcome; });
  is_used_.resize(exchanges_.size());
  for (std::size_t k = 0; k < exchanges_.size(); ++k) {
    by_digest_[DigestOfRequest(exchanges_[k].request)].push_back(k);
  }
}

Result<std::unique_ptr<RecordedModel>> RecordedModel::Open(const std::filesystem::path& store,
                                                           const std::string& campaign,
                                                           Clock& clock) {
  auto log = ExchangeLog::Open(store, campaign, clock, Database::Mode::kReadOnly);
  if (!log) return log.error();
  auto exchanges = log->Read();
  if (!exchanges) return exchanges.error();
  return std::make_unique<RecordedModel>(std::move(*exchanges), campaign);
}

std::string RecordedModel::name() const {
  return fmt::format("what the language model of {} said", campaign_);
}

bool RecordedModel::is_used_up() const {
  const std::lock_guard lock(mutex_);
  return by_digest_.empty();
}

const ChatOutcome* RecordedModel::Find(const ChatRequest& request) {
  const Json json = ToJson(request);
  const std::lock_guard lock(mutex_);
  const auto found = by_digest_.find(DigestOfRequest(json));
  if (found == by_digest_.end()) return nullptr;
  const std::size_t place = found->second.front();
  if (Dump(exchanges_[place].request) != Dump(json)) return nullptr;  // Another of this digest.
  found->second.pop_front();
  if (found->second.empty()) by_digest_.erase(found);
  is_used_[place] = true;
  return &*exchanges_[place].outcome;
}

Result<ChatAnswer> RecordedModel::Ask(const ChatRequest& request, const ChatListener& listener) {
  const ChatOutcome* const outcome = Find(request);
  if (outcome == nullptr) return Different(ToJson(request));
  if (outcome->answer && listener) listener(outcome->answer->message.text);
  return outcome->answer;
}

// The next of the same sort that nobody asked for: what a campaign's sentence was read with has
// other rules at its beginning than what asks for candidates. The end, if all of the sort are used;
// where there is none of the sort, the next of any.
std::vector<bool>::const_iterator RecordedModel::NextLike(const Json& request) const {
  const Json::json_pointer rules("/messages/0");
  bool has_like = false;
  for (std::size_t k = 0; k < exchanges_.size(); ++k) {
    const Json& recorded = exchanges_[k].request;
    const bool is_like = recorded.contains(rules) && request.contains(rules) &&
                         recorded.at(rules) == request.at(rules);
    if (is_like && !is_used_[k]) return is_used_.begin() + static_cast<std::ptrdiff_t>(k);
    has_like = has_like || is_like;
  }
  return has_like ? is_used_.end() : std::find(is_used_.begin(), is_used_.end(), false);
}

Error RecordedModel::Different(const Json& request) const {
  const std::lock_guard lock(mutex_);
  const auto next = NextLike(request);
  if (next == is_used_.end()) {
    return Error{
        Errc::kNotFound,
        fmt::format("campaign {}: all of the {} recorded exchanges with the language model "
                    "are used, and one more is asked for",
                    campaign_, exchanges_.size())};
  }
  const StoredExchange& expected = exchanges_[static_cast<std::size_t>(next - is_used_.begin())];
  return Error{
      Errc::kCorrupt,
      fmt::format("campaign {}: exchange {} with the language model is another one than "
                  "was recorded: {}",
                  campaign_, expected.position, FirstDifference(expected.request, request))};
}

RecordingModel::RecordingModel(std::unique_ptr<ChatModel> model,
                               const std::shared_ptr<ChatBudget>& budget, ExchangeLog log,
                               std::unique_ptr<RecordedModel> recorded, std::stop_token stop)
    : model_(std::move(model)),
      budget_(budget),
      log_(std::make_shared<ExchangeLog>(std::move(log))),
      recorded_(std::move(recorded)),
      stop_(std::move(stop)) {
  budget->KeepBy([log = log_](const ChatSpending& at_most) { return log->NoteAtMost(at_most); });
}

Result<ChatAnswer> RecordingModel::Ask(const ChatRequest& request, const ChatListener& listener) {
  if (const ChatOutcome* const outcome = recorded_->Find(request)) {
    if (outcome->answer && listener) listener(outcome->answer->message.text);
    return outcome->answer;
  }
  const auto position = log_->Begin(ToJson(request), budget_->spent());
  if (!position) return position.error();
  auto answer = model_->Ask(request, listener);
  if (!answer && stop_.stop_requested()) return answer;
  if (auto stored = log_->Finish(*position, answer, budget_->spent()); !stored) {
    return stored.error();
  }
  return answer;
}

Result<std::unique_ptr<ChatModel>> OpenCampaignModel(const ChatSettings& settings, Clock& clock,
                                                     const std::filesystem::path& store,
                                                     const std::string& campaign) {
  auto log = ExchangeLog::Open(store, campaign, clock);
  if (!log) return log.error();
  const auto spent = log->TakeOver();
  if (!spent) return spent.error();
  auto exchanges = log->Read();
  if (!exchanges) return exchanges.error();
  ChatSettings own = settings;
  own.already_spent = *spent;
  if (!own.budget) {
    auto budget = OpenChatBudget(own);
    if (!budget) return budget.error();
    own.budget = *budget;
  }
  auto model = OpenChatModel(own, clock);
  if (!model) return model;
  return std::make_unique<RecordingModel>(
      std::move(*model), own.budget, std::move(*log),
      std::make_unique<RecordedModel>(std::move(*exchanges), campaign), settings.stop);
}

}  // namespace hone::agent
