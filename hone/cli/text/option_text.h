// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/cli/text/readable.h"

// What is known of an option of Linux before it is measured: data/kernels/.
namespace hone::cli {

// "known" with what the knowledge base says, "protected" with the reason; none for most options.
Json OptionJson(const std::string& name);

// The same for people.
TableRows OptionRows(const std::string& name);

std::vector<std::string> KnownOptionNames();

}  // namespace hone::cli
