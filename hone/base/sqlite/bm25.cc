// SPDX-License-Identifier: Apache-2.0
#include "hone/base/sqlite/bm25.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "hone/base/sqlite/sqlite_error.h"

namespace hone {
namespace {

// Of bm25 in SQLite; so is everything below that a ranking could differ by.
constexpr double kSaturation = 1.2;
constexpr double kLengthShare = 0.75;
constexpr double kMinRarity = 1e-6;

constexpr std::size_t kLengthBytes = 2;  // The lower one first.
constexpr std::int64_t kMaxRow = 10'000'000;

struct Phrases {
  std::vector<double> rarity;
  std::vector<double> frequency;  // In the row at hand.
  double usual_length = 1;
};

int CountRow(const Fts5ExtensionApi* /*api*/, Fts5Context* /*context*/, void* count) {
  ++*static_cast<sqlite3_int64*>(count);
  return SQLITE_OK;
}

// What one query needs for all its rows; null if SQLite fails, with its code.
std::unique_ptr<Phrases> PhrasesOf(const Fts5ExtensionApi& api, Fts5Context* context, int& code) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  code = api.xRowCount(context, &rows);
  if (code == SQLITE_OK) code = api.xColumnTotalSize(context, -1, &words);
  auto phrases = std::make_unique<Phrases>();
  phrases->usual_length = static_cast<double>(words) / static_cast<double>(rows);
  for (int i = 0; code == SQLITE_OK && i < api.xPhraseCount(context); ++i) {
    sqlite3_int64 hits = 0;
    code = api.xQueryPhrase(context, i, &hits, CountRow);
    const double rarity =
        std::log((static_cast<double>(rows - hits) + 0.5) / (static_cast<double>(hits) + 0.5));
    phrases->rarity.push_back(rarity <= 0 ? kMinRarity : rarity);
  }
  if (code != SQLITE_OK) return nullptr;
  phrases->frequency.resize(phrases->rarity.size());
  return phrases;
}

double LengthOf(sqlite3_value* lengths, sqlite3_int64 row) {
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_value_blob(lengths));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(lengths));
  const std::size_t at = static_cast<std::size_t>(row) * kLengthBytes;
  return row < 0 || at + kLengthBytes > size ? 0 : bytes[at] + 256.0 * bytes[at + 1];
}

int CountOccurrences(const Fts5ExtensionApi& api, Fts5Context* context, int count,
                     sqlite3_value** weights, std::vector<double>& frequency) {
  std::fill(frequency.begin(), frequency.end(), 0.0);
  int occurrences = 0;
  int code = api.xInstCount(context, &occurrences);
  for (int i = 0; code == SQLITE_OK && i < occurrences; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    code = api.xInst(context, i, &phrase, &column, &offset);
    if (code != SQLITE_OK) break;
    frequency[static_cast<std::size_t>(phrase)] +=
        column < count ? sqlite3_value_double(weights[column]) : 1.0;
  }
  return code;
}

void Rank(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int count,
          sqlite3_value** values) {
  if (count < 1) return sqlite3_result_error(result, "bm25_given: the lengths are missing", -1);
  int code = SQLITE_OK;
  auto* phrases = static_cast<Phrases*>(api->xGetAuxdata(context, 0));
  if (phrases == nullptr) {
    auto made = PhrasesOf(*api, context, code);
    if (!made) return sqlite3_result_error_code(result, code);
    phrases = made.release();
    // SQLite owns it, also where this fails.
    code = api->xSetAuxdata(context, phrases, [](void* old) { delete static_cast<Phrases*>(old); });
    if (code != SQLITE_OK) return sqlite3_result_error_code(result, code);
  }
  code = CountOccurrences(*api, context, count - 1, values + 1, phrases->frequency);
  if (code != SQLITE_OK) return sqlite3_result_error_code(result, code);
  const double length = LengthOf(values[0], api->xRowid(context));
  double score = 0;
  for (std::size_t i = 0; i < phrases->rarity.size(); ++i) {
    const double frequency = phrases->frequency[i];
    score += phrases->rarity[i] *
             ((frequency * (kSaturation + 1.0)) /
              (frequency +
               kSaturation * (1 - kLengthShare + kLengthShare * length / phrases->usual_length)));
  }
  sqlite3_result_double(result, -1.0 * score);
}

// The sum of the numbers of a row of FTS5's table of sizes, one for each column: seven bits a byte,
// the higher ones first, all but a number's last byte with the eighth set.
std::size_t SumOf(std::string_view sizes) {
  std::size_t sum = 0;
  std::size_t number = 0;
  for (const char each : sizes) {
    const auto byte = static_cast<unsigned char>(each);
    number = number << 7U | (byte & 0x7FU);
    if ((byte & 0x80U) != 0) continue;
    sum += number;
    number = 0;
  }
  return sum;
}

}  // namespace

Result<void> AddBm25Given(Database& database) {
  fts5_api* api = nullptr;
  sqlite3_stmt* ask = nullptr;
  int code = sqlite3_prepare_v2(database.db_, "SELECT fts5(?1)", -1, &ask, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_bind_pointer(ask, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(ask);
    code = sqlite3_finalize(ask);
  }
  if (code == SQLITE_OK && api == nullptr) code = SQLITE_ERROR;
  if (code == SQLITE_OK) code = api->xCreateFunction(api, "bm25_given", nullptr, Rank, nullptr);
  if (code != SQLITE_OK) return SqliteError(database.path(), code, database.db_);
  return {};
}

Result<std::string> Bm25Lengths(Database& database, std::string_view table) {
  auto rows = database.Prepare(fmt::format("SELECT id, sz FROM \"{}_docsize\"", table));
  if (!rows) return rows.error();
  std::string lengths;
  for (;;) {
    const auto has_row = rows->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return lengths;
    const std::int64_t row = rows->Integer(0);
    if (row < 0 || row > kMaxRow) continue;
    const std::size_t at = static_cast<std::size_t>(row) * kLengthBytes;
    const std::size_t length = std::min<std::size_t>(SumOf(rows->View(1)), 65'535);
    if (lengths.size() < at + kLengthBytes) lengths.resize(at + kLengthBytes, '\0');
    lengths[at] = static_cast<char>(length % 256);
    lengths[at + 1] = static_cast<char>(length / 256);
  }
}

}  // namespace hone
