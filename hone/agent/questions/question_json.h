// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/agent/questions/question.h"
#include "hone/base/json/json.h"

namespace hone::agent {

// As question sets and logs have it: docs/formats/training-data.md.
Json ToJson(const Question& question);

}  // namespace hone::agent
