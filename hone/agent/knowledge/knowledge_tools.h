// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hone/agent/chat/tool.h"
#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/measured.h"
#include "hone/core/result.h"
#include "hone/kconfig/reason/tree_index.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::agent {

// A tree of options with values, to say what blocks a change of it.
struct OptionGround {
  std::shared_ptr<const kconfig::TreeIndex> index;
  kconfig::Configuration configuration;
};

// Where the tools look. The functions are called by the thread that uses a tool; what they give may
// be kept by them, since a tree takes a while to load.
struct KnowledgeSources {
  std::function<Result<KnowledgeBase*>()> base;  // Opened when it is first needed.
  std::function<Result<std::shared_ptr<const OptionGround>>()> options;
  // Which values those options have, as what_blocks tells a model.
  std::string values = "by the defaults of the tree that the base was built from";
  std::function<Result<std::vector<MeasuredEffect>>()> effects;
  // The name that we know something by, of a concrete one: /sys/block/*/queue/scheduler of
  // /sys/block/sda/queue/scheduler. May be null.
  std::function<std::string(const std::string& name)> known_name = nullptr;
};

inline constexpr std::size_t kMaxToolAnswer = 12'000;  // Bytes; what is longer is cut, with a note.

// search_knowledge, explain_option, what_blocks and measured_effects. They change nothing and reach
// nothing outside. They may be used by several threads, one after the other.
std::vector<Tool> MakeKnowledgeTools(KnowledgeSources sources);

}  // namespace hone::agent
