// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "hone/base/json/json.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {

// The text of the file that "reference_file" names.
using ReadReference = std::function<Result<std::string>(const std::string& name)>;

// The problem that the document describes, checked: docs/formats/problem.md.
Result<Problem> ReadProblem(const Json& json, const std::string& what, const ReadReference& read);

// The tensor that a case of kernel_simple spells out: nested or flat numbers in `json`. Where
// `declared` is given they must fill it exactly; else type and shape are those of the nesting.
Result<Tensor> ReadTensor(const Json& json, const std::string& what, const TensorSpec* declared);

}  // namespace hone::compute
