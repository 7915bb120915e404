// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hone/base/json/json.h"

// Answers of an older version, which whoever reads them may count on still.
namespace hone {

// A value that changed on purpose, with the reason.
struct MeantChange {
  std::string where;  // "campaign/verdict/reason".
  Json before;
  Json now;
  std::string reason;
};

// What `now` no longer says of what `before` said, a sentence each; empty if it says all of it. It
// may say more: new keys of objects are fine, while a list keeps its length and its order. `name`
// is where in the answers the two begin. A change that is `meant` counts if before and now are as
// it says.
std::vector<std::string> NoLongerSaid(const Json& before, const Json& now, const std::string& name,
                                      const std::vector<MeantChange>& meant = {});

}  // namespace hone
