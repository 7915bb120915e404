// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hone/agent/chat/chat_settings.h"
#include "hone/cli/verb.h"

namespace hone::cli {

// Which language model to ask: flags of the verbs that ask one. $HONE_LLM and $HONE_LLM_MODEL are
// the defaults. The target outlives them.
std::vector<Flag> ChatFlags(agent::ChatSettings& settings);

}  // namespace hone::cli
