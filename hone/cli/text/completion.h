// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/cli/verb.h"

// Completions for shells, made from the table of verbs. Each is a whole script.
namespace hone::cli {

std::string BashCompletion(const std::vector<Verb>& verbs);
std::string ZshCompletion(const std::vector<Verb>& verbs);
std::string FishCompletion(const std::vector<Verb>& verbs);

}  // namespace hone::cli
