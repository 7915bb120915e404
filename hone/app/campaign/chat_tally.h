// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "hone/base/clock.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::app {

// What came of asking a campaign's language model.
struct ChatTally {
  std::int64_t asked = 0;
  std::int64_t answered = 0;
  std::int64_t candidates = 0;  // In all answers, as the model listed them.
  std::int64_t tokens = 0;
  std::string last_error;  // Of the last question without an answer.
};

// All zero for a campaign that asked nobody.
Result<ChatTally> TallyChat(const std::filesystem::path& store, const std::string& campaign,
                            Clock& clock);

// "asked 3 times: 2 answers with 5 candidates, 9728 tokens; the last without one: …"
std::string ChatText(const ChatTally& tally);
Json ChatJson(const ChatTally& tally);

}  // namespace hone::app
