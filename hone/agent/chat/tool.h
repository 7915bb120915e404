// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "hone/agent/chat/chat_model.h"

namespace hone::agent {

// Something that a model may use. `use` may be called from any thread, also at the same time; its
// arguments are untrusted.
struct Tool {
  ToolDescription description;
  std::function<Result<std::string>(const Json& arguments)> use;
};

}  // namespace hone::agent
