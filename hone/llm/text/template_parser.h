// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/core/result.h"
#include "hone/llm/text/template_nodes.h"

namespace hone::llm {

// Reads a template. What Jinja2 has and this has not is an Error that names it and its line.
Result<StatementList> ParseTemplate(std::string_view source);

}  // namespace hone::llm
