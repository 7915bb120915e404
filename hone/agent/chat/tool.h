// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "hone/agent/chat/chat_model.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// Something that a model may use: what it is told about it, and what happens when it does. The
// arguments are the model's: untrusted. An Error means that the tool itself failed; what is wrong
// with the arguments is an answer, which the model reads.
// NOLINTNEXTLINE(bugprone-exception-escape): of moving a Json, which does not throw.
struct Tool {
  ToolDescription description;
  std::function<Result<std::string>(const Json& arguments)> use;
};

}  // namespace hone::agent
