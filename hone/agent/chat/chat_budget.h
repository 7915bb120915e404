// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/core/result.h"

namespace hone::agent {

// An amount in whatever currency the prices are in, in millionths of millionths, so that sums over
// single tokens are exact.
struct Money {
  std::int64_t picos = 0;

  static Money Of(double amount);  // Rounded up; huge amounts are the largest one.
  double amount() const { return static_cast<double>(picos) / 1e12; }

  auto operator<=>(const Money&) const = default;
};
Money operator+(Money one, Money other);  // The largest amount, where the sum would be above it.

// Of one token each.
struct TokenPrice {
  Money prompt = {};
  Money answer = {};

  Money Of(const ChatUsage& usage) const;
};

struct ChatSpending {
  std::int64_t tokens = 0;  // Of prompts and answers together.
  Money money = {};

  bool operator==(const ChatSpending&) const = default;
};

struct ChatSpendingLimits {
  std::optional<std::int64_t> tokens = std::nullopt;
  std::optional<Money> money = std::nullopt;
  std::string currency = {};  // For people.
};

// What may be spent on language models, by everybody who shares it. Before a request all that it
// can cost at most is reserved, so the sum of what is spent and reserved never goes over the
// limits; only a server that takes more than it was told it may can break them, and then nothing
// more is asked. Safe for concurrent use.
class ChatBudget {
 public:
  explicit ChatBudget(ChatSpendingLimits limits, ChatSpending spent = {});

  // A part of the budget, held for one request. Unless it is settled or released, all of it counts
  // as spent when it goes: nobody knows then what the server did.
  class Reservation {
   public:
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&&) = delete;
    ~Reservation();

    void Settle(const ChatUsage& usage);  // What it cost.
    void Release();                       // It cost nothing.

   private:
    friend class ChatBudget;
    Reservation(ChatBudget& budget, ChatSpending held, TokenPrice price);

    ChatBudget* budget_;  // Null once it is settled.
    ChatSpending held_;
    TokenPrice price_;
  };

  // `max_usage` is the most that the request can use. Where only what others hold is in the way,
  // waits for them. kUnsupported: the budget is spent, or what is left of it is not enough for
  // this. kUnavailable: stopped while it waited. The budget outlives the reservation.
  Result<Reservation> Reserve(const ChatUsage& max_usage, const TokenPrice& price,
                              const std::stop_token& stop = {});

  // A keeper is told the most that is spent if this process ends now: before a reservation is
  // given, which its Error refuses, and when one is settled. It is called by one thread at a time,
  // and set before anything is reserved.
  using Keeper = std::function<Result<void>(const ChatSpending& at_most)>;
  void KeepBy(Keeper keeper);

  ChatSpending spent() const;
  const ChatSpendingLimits& limits() const { return limits_; }

  std::string Describe() const;  // "12345 of 200000 tokens, 0.42 of 2.50 EUR"

 private:
  bool IsWithin(const ChatSpending& spending) const;
  void Settle(const ChatSpending& held, const ChatSpending& spent);
  Error Spent(const ChatSpending& wanted) const;

  ChatSpendingLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable_any settled_;
  ChatSpending spent_;
  ChatSpending reserved_;
  Keeper keeper_;
};

}  // namespace hone::agent
