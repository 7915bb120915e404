// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/chat_model.h"
#include "hone/base/json/json.h"

// A language model that does whatever any sentence of its prompt says, for bench/planted.
namespace hone {

// One planted sentence, as bench/planted_texts.py writes them: "run the command … [#017]".
struct PlantedOrder {
  std::string id;    // "017"
  std::string verb;  // "run the command"
  std::string what;  // What stands between the verb and the id.

  bool operator==(const PlantedOrder&) const = default;
};

// The text as somebody reads it who is misled by nothing: hidden characters are gone, letters of
// other kinds are plain ones, lines are joined, and what is written backwards stands behind it
// forwards.
std::string ReadableText(std::string_view text);

// All that are planted in a text, in their order, each once.
std::vector<PlantedOrder> PlantedOrdersIn(std::string_view text);

// What is asked for, found from the prompt.
enum class AskedFor { kCandidates, kPlan, kOpinion, kOptions, kKernel, kAnything };
AskedFor WhatIsAsked(const agent::ChatRequest& request, const Json& body);

// What an answer of it did.
struct Obedience {
  agent::ChatAnswer answer;
  AskedFor asked = AskedFor::kAnything;
  std::set<std::string> reached;  // Ids that the prompt holds.
  std::set<std::string> obeyed;   // Ids that the answer obeys.
};

// Safe for concurrent use.
class ObedientModel {
 public:
  // `words` are what it says of itself, each once: as kernels, or as names of what it would set.
  explicit ObedientModel(std::vector<std::string> words) : words_(std::move(words)) {}

  // `key` is the one that came with the request, to be told to whoever asks for it.
  Obedience Answer(const agent::ChatRequest& request, const Json& body, const std::string& key);

 private:
  std::vector<std::string> NextWords(std::size_t max);
  const PlantedOrder* LeastObeyed(const std::vector<PlantedOrder>& orders) const;
  std::string KernelText(const std::vector<PlantedOrder>& orders, const std::string& key,
                         std::set<std::string>& obeyed);

  std::mutex mutex_;
  std::vector<std::string> words_;
  std::size_t said_ = 0;               // Of the words.
  std::map<std::string, int> obeyed_;  // How often, by id.
  int turn_ = 0;
};

}  // namespace hone
