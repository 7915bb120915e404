// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/agent/chat/agent_log.h"
#include "hone/agent/chat/chat_model.h"
#include "hone/agent/chat/tool.h"
#include "hone/agent/walk/option_editor.h"
#include "hone/agent/walk/walk_talk.h"
#include "hone/core/result.h"

namespace hone::agent {

struct WalkSettings {
  std::string goal;
  bool opens_all = false;      // Every menu, without asking.
  std::size_t max_items = 10;  // In one question.
  int max_tries = 3;           // Answers to one question, the first among them.
  std::int64_t max_questions = 1'000'000;
  int max_unreadable = 10;  // Questions in a row without an answer that can be read.
  TalkLimits talk = {};
  std::stop_token stop = {};
  std::function<void(const std::string& line)> progress = nullptr;  // A line a question.
  // Told what is in force: before the first question, and after each answer that changed it.
  std::function<void(const kconfig::Configuration& current)> on_change = nullptr;
};

// A tree with the configuration to begin with, and what must not change.
struct WalkGround {
  std::shared_ptr<const kconfig::TreeIndex> index;
  kconfig::Configuration start;
  ProtectionRule protection = nullptr;
};

struct WalkCounts {
  std::int64_t questions = 0;
  std::array<std::int64_t, 5> by_kind = {};  // Questions, by QuestionKind.
  std::int64_t unreadable = 0;               // Questions without an answer that could be read.
  std::int64_t faults = 0;                   // Lines that made no sense.
  std::int64_t menus_opened = 0;
  TalkCounts talk;
};

// A request with the question that it was an answer to.
struct WalkVerdict {
  std::int64_t question = 0;
  RequestVerdict verdict;
};

struct WalkResult {
  WalkEnd end = WalkEnd::kDone;
  std::string end_reason = {};  // Unless it is kDone.
  kconfig::Configuration configuration;
  std::vector<WalkVerdict> verdicts = {};  // In the order in which they were given.
  std::set<kconfig::SymbolId> asked = {};  // Every option that was in a question.
  WalkCounts counts = {};
};

// Leads a model down the menus of a tree, depth first, and applies its answers: each request is
// honoured, or refused with the reason, which goes back to the model. Whatever becomes visible
// meanwhile is asked too. Ends whatever the model says. `model` may be null: then the log is
// replayed. An Error is one of the log: of another walk, or it cannot be written.
Result<WalkResult> WalkKconfig(const WalkGround& ground, const WalkSettings& settings,
                               ChatModel* model, const std::vector<Tool>& tools, AgentLog& log);

}  // namespace hone::agent
