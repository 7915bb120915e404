// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// Whether a document fits a JSON Schema of ours: type, properties, required, additionalProperties,
// items, enum, minimum, maximum, minLength, maxLength, minItems, maxItems. Other words of the
// schema say nothing here. kInvalidArgument names the first member that does not fit, and what
// would.
Result<void> CheckArguments(const Json& arguments, const Json& schema);

}  // namespace hone::agent
