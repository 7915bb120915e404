// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/chat_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hone::agent {
namespace {

constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

// Of numbers that are not negative.
std::int64_t AddCapped(std::int64_t one, std::int64_t other) {
  return one > kMaxCount - other ? kMaxCount : one + other;
}

std::int64_t TimesCapped(std::int64_t count, std::int64_t price) {
  return price != 0 && count > kMaxCount / price ? kMaxCount : count * price;
}

ChatSpending Sum(const ChatSpending& one, const ChatSpending& other) {
  return {AddCapped(one.tokens, other.tokens), one.money + other.money};
}

ChatSpending SpendingOf(const ChatUsage& usage, const TokenPrice& price) {
  return {AddCapped(usage.prompt_tokens, usage.answer_tokens), price.Of(usage)};
}

std::string MoneyText(Money money, const std::string& currency) {
  return fmt::format("{:.4g}{}{}", money.amount(), currency.empty() ? "" : " ", currency);
}

}  // namespace

Money Money::Of(double amount) {
  const double picos = std::ceil(amount * 1e12 - 1e-3);  // 0.1 is a little above 0.1 in binary.
  if (!(picos < 9.2e18)) return Money{kMaxCount};
  return Money{std::max<std::int64_t>(0, static_cast<std::int64_t>(picos))};
}

Money operator+(Money one, Money other) { return Money{AddCapped(one.picos, other.picos)}; }

Money TokenPrice::Of(const ChatUsage& usage) const {
  return Money{TimesCapped(usage.prompt_tokens, prompt.picos)} +
         Money{TimesCapped(usage.answer_tokens, answer.picos)};
}

ChatBudget::ChatBudget(ChatSpendingLimits limits, ChatSpending spent)
    : limits_(std::move(limits)), spent_(spent) {}

ChatBudget::Reservation::Reservation(ChatBudget& budget, ChatSpending held, TokenPrice price)
    : budget_(&budget), held_(held), price_(price) {}

ChatBudget::Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)), held_(other.held_), price_(other.price_) {}

ChatBudget::Reservation::~Reservation() {
  if (budget_ != nullptr) budget_->Settle(held_, held_);
}

void ChatBudget::Reservation::Settle(const ChatUsage& usage) {
  if (auto* const budget = std::exchange(budget_, nullptr)) {
    budget->Settle(held_, SpendingOf(usage, price_));
  }
}

void ChatBudget::Reservation::Release() {
  if (auto* const budget = std::exchange(budget_, nullptr)) budget->Settle(held_, {});
}

bool ChatBudget::IsWithin(const ChatSpending& spending) const {
  return (!limits_.tokens || spending.tokens <= *limits_.tokens) &&
         (!limits_.money || spending.money <= *limits_.money);
}

Result<ChatBudget::Reservation> ChatBudget::Reserve(const ChatUsage& max_usage,
                                                    const TokenPrice& price,
                                                    const std::stop_token& stop) {
  const ChatSpending wanted = SpendingOf(max_usage, price);
  std::unique_lock lock(mutex_);
  const auto is_decided = [&] {
    const ChatSpending with_spent = Sum(spent_, wanted);
    return !IsWithin(with_spent) || IsWithin(Sum(with_spent, reserved_));
  };
  if (!settled_.wait(lock, stop, is_decided)) {
    return Error{Errc::kUnavailable, "the language model: stopped while waiting for its budget"};
  }
  if (!IsWithin(Sum(spent_, wanted))) return Spent(wanted);
  const ChatSpending reserved = Sum(reserved_, wanted);
  if (keeper_) {
    if (auto kept = keeper_(Sum(spent_, reserved)); !kept) return kept.error();
  }
  reserved_ = reserved;
  return Reservation(*this, wanted, price);
}

void ChatBudget::Settle(const ChatSpending& held, const ChatSpending& spent) {
  const std::lock_guard lock(mutex_);
  reserved_ = {reserved_.tokens - held.tokens, Money{reserved_.money.picos - held.money.picos}};
  spent_ = Sum(spent_, spent);
  // Where this fails, what was kept before stands, which is more.
  if (keeper_) static_cast<void>(keeper_(Sum(spent_, reserved_)));
  settled_.notify_all();
}

Error ChatBudget::Spent(const ChatSpending& wanted) const {
  const bool is_tokens =
      limits_.tokens && AddCapped(spent_.tokens, wanted.tokens) > *limits_.tokens;
  const std::string text =
      is_tokens ? fmt::format("{} of {} tokens are spent, and this request may take {}",
                              spent_.tokens, *limits_.tokens, wanted.tokens)
                : fmt::format("{} of {} are spent, and this request may cost {}",
                              MoneyText(spent_.money, ""),
                              MoneyText(limits_.money.value_or(Money{}), limits_.currency),
                              MoneyText(wanted.money, limits_.currency));
  return Error{Errc::kUnsupported,
               fmt::format("the budget for the language model is not enough: {}; --llm-budget "
                           "raises it",
                           text)};
}

void ChatBudget::KeepBy(Keeper keeper) {
  const std::lock_guard lock(mutex_);
  keeper_ = std::move(keeper);
}

ChatSpending ChatBudget::spent() const {
  const std::lock_guard lock(mutex_);
  return spent_;
}

std::string ChatBudget::Describe() const {
  const ChatSpending now = spent();
  std::string text = limits_.tokens ? fmt::format("{} of {} tokens", now.tokens, *limits_.tokens)
                                    : fmt::format("{} tokens", now.tokens);
  if (limits_.money) {
    text += fmt::format(", {} of {}", MoneyText(now.money, ""),
                        MoneyText(*limits_.money, limits_.currency));
  } else if (now.money.picos > 0) {
    text += fmt::format(", {}", MoneyText(now.money, limits_.currency));
  }
  return text;
}

}  // namespace hone::agent
