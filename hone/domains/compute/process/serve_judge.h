// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hone::compute {

// If these are the arguments of a judge's process (judge_process.h), serves its worker until that
// closes the socket, and gives the exit status. A program that starts judges calls this first.
std::optional<int> ServeJudgeIfAsked(const std::vector<std::string>& arguments);

}  // namespace hone::compute
