// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/cli/verb.h"
#include "hone/core/result.h"

// What the verbs that read a stored campaign share.
namespace hone::cli {

// The operand RUN, and where an answer goes; the targets outlive the verb.
Flag RunOperand(std::string& target);
Flag OutputFlag(std::string& target, std::string help);

// To standard output for "-", else durably to the file, which is then named on standard error.
Result<void> WriteAnswer(Shell& shell, const std::string& path, std::string_view text);

}  // namespace hone::cli
