// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

namespace hone {

// Brings the tables that the queue writes and the evaluation store reads to the newest version.
// docs/formats/evaluations.md describes them.
Result<void> MigrateEvalSchema(Database& database);

}  // namespace hone
