// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "hone/core/result.h"

struct sqlite3;

namespace hone {

// What an extended result code of SQLite means for the caller, naming the file and what to do.
// `db` may be null; it gives the detail.
Error SqliteError(std::string_view path, int code, sqlite3* db);

}  // namespace hone
