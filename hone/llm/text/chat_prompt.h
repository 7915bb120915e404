// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hone/base/json/ordered_json.h"
#include "hone/core/result.h"
#include "hone/llm/text/chat_template.h"
#include "hone/llm/text/tokenizer.h"

namespace hone::llm {

// The tokens of a conversation. Special tokens come from the template alone: where a message, a
// tool or any other text of the context has "<|im_end|>", it stays the text that it is.
Result<std::vector<std::int32_t>> EncodeChat(const Tokenizer& tokenizer,
                                             const ChatTemplate& chat_template,
                                             const OrderedJson& context);

}  // namespace hone::llm
