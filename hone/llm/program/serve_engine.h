// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hone/core/result.h"
#include "hone/llm/engine/decoder.h"
#include "hone/llm/serve/messages.h"

namespace hone::llm {

// Answers what comes over the socket until its other side closes it: requests join and leave the
// batch as they come. kCorrupt for what is no message.
Result<void> ServeEngine(Decoder& decoder, const EngineFacts& facts, int socket);

}  // namespace hone::llm
