// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

// SQLite's bm25 looks up the length of every row that it ranks, which is two thirds of what it
// costs. Here the lengths of all rows are given.
namespace hone {

// Makes `bm25_given(TABLE, LENGTHS, WEIGHT…)` known to a connection: the value of
// `bm25(TABLE, WEIGHT…)`, to the last bit. LENGTHS is what Bm25Lengths gave for the table, bound as
// bytes; a row that is not in it counts as empty.
Result<void> AddBm25Given(Database& database);

// The number of words of each row of an FTS5 table, by rowid. Reads all of them; words beyond
// 65,535 of a row and rows beyond ten million are not counted.
Result<std::string> Bm25Lengths(Database& database, std::string_view table);

}  // namespace hone
