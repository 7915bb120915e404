// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/core/space.h"
#include "hone/core/value.h"

// Language models whose skill is known, for bench/agent.
namespace hone {

// What an endpoint was asked and what that cost, as a provider would count it.
struct EndpointBill {
  std::int64_t questions = 0;
  std::int64_t tokens = 0;
  std::int64_t longest_question = 0;  // Bytes.
  std::int64_t after_refusal = 0;     // Questions after the budget was said to be spent.
};

struct EndpointSettings {
  std::string kind;  // One of EndpointKinds().
  const Space& space;
  Assignment optimum;  // From which directions are taken; no endpoint ever says it.
  std::function<double(const Assignment&)> worth;  // The truth, by which the worst choice is known.
  std::uint64_t seed = 0;
  std::int64_t max_tokens = 0;  // The budget.
};

std::vector<std::string> EndpointKinds();

// The space and the bill outlive the endpoint.
std::unique_ptr<agent::ChatModel> MakeEndpoint(const EndpointSettings& settings,
                                               EndpointBill& bill);

}  // namespace hone
