// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

// {name} in the texts of a workload spec. A name is of small letters and underscores. ${name}
// belongs to the shell and is left alone, and {{name}} stands for the text {name}.
namespace hone::sysctl {

// The names that the text uses, in order, each as often as it occurs.
std::vector<std::string> VariablesIn(std::string_view text);

// All that VariablesIn gives must be among `values`.
std::string Expand(std::string_view text, const std::map<std::string, std::string>& values);

// A text that Expand turns into this one.
std::string Escape(std::string_view text);

}  // namespace hone::sysctl
