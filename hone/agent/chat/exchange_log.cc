// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/chat/exchange_log.h"

#include <fmt/format.h>

#include <utility>

#include "hone/base/json/records.h"

namespace hone::agent {
namespace {

constexpr std::string_view kModule = "exchanges";

// docs/formats/store.md describes the table. `tokens` and `picos` are the campaign's sum: while the
// outcome is not there, the most that it may come to.
constexpr std::string_view kVersion1 = R"sql(
  CREATE TABLE exchanges (
    campaign TEXT NOT NULL,
    position INTEGER NOT NULL,
    asked    INTEGER NOT NULL,
    answered INTEGER,
    digest   TEXT NOT NULL,
    request  TEXT NOT NULL,
    outcome  TEXT,
    tokens   INTEGER NOT NULL,
    picos    INTEGER NOT NULL,
    PRIMARY KEY (campaign, position)
  ) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kLost = R"({"lost":true})";

}  // namespace

ExchangeLog::ExchangeLog(Database database, std::string campaign, Clock& clock, bool has_table)
    : database_(std::move(database)),
      campaign_(std::move(campaign)),
      clock_(&clock),
      has_table_(has_table) {}

Result<ExchangeLog> ExchangeLog::Open(const std::filesystem::path& store,
                                      const std::string& campaign, Clock& clock,
                                      Database::Mode mode) {
  auto database = Database::Open(store, mode);
  if (!database) return database.error();
  if (mode == Database::Mode::kReadWrite) {
    if (auto made = database->Migrate(kModule, {kVersion1}); !made) return made.error();
  }
  const auto version = database->VersionOf(kModule);
  if (!version) return version.error();
  if (*version > 1) {
    return Error{Errc::kUnsupported,
                 fmt::format("{}: a newer Hone wrote its exchanges", store.string())};
  }
  return ExchangeLog(std::move(*database), campaign, clock, *version == 1);
}

Result<std::int64_t> ExchangeLog::Begin(const Json& request, const ChatSpending& spent) {
  const std::lock_guard lock(*mutex_);
  std::int64_t position = 0;
  auto stored = database_.Transact([&]() -> Result<void> {
    auto next = database_.Prepare(
        "SELECT coalesce(max(position) + 1, 0) FROM exchanges WHERE campaign = ?1");
    if (!next) return next.error();
    next->Bind(1, campaign_);
    if (auto row = next->Step(); !row) return row.error();
    position = next->Integer(0);
    next->Reset();
    auto insert = database_.Prepare(
        "INSERT INTO exchanges (campaign, position, asked, digest, request, tokens, picos) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)");
    if (!insert) return insert.error();
    insert->Bind(1, campaign_).Bind(2, position).Bind(3, ToMicroseconds(clock_->Wall()));
    insert->Bind(4, DigestOfRequest(request)).Bind(5, Dump(request));
    insert->Bind(6, spent.tokens).Bind(7, spent.money.picos);
    return insert->Run();
  });
  if (!stored) return stored.error();
  return position;
}

Result<void> ExchangeLog::NoteAtMost(const ChatSpending& at_most) {
  const std::lock_guard lock(*mutex_);
  auto update = database_.Prepare(
      "UPDATE exchanges SET tokens = ?2, picos = ?3 WHERE campaign = ?1 AND outcome IS NULL");
  if (!update) return update.error();
  update->Bind(1, campaign_).Bind(2, at_most.tokens).Bind(3, at_most.money.picos);
  return update->Run();
}

Result<void> ExchangeLog::Finish(std::int64_t position, const Result<ChatAnswer>& outcome,
                                 const ChatSpending& spent) {
  const std::lock_guard lock(*mutex_);
  auto update = database_.Prepare(
      "UPDATE exchanges SET outcome = ?3, answered = ?4, tokens = ?5, picos = ?6 "
      "WHERE campaign = ?1 AND position = ?2");
  if (!update) return update.error();
  update->Bind(1, campaign_).Bind(2, position).Bind(3, Dump(ToJson(outcome)));
  update->Bind(4, ToMicroseconds(clock_->Wall())).Bind(5, spent.tokens).Bind(6, spent.money.picos);
  return update->Run();
}

Result<std::vector<StoredExchange>> ExchangeLog::Read() {
  const std::lock_guard lock(*mutex_);
  std::vector<StoredExchange> exchanges;
  if (!has_table_) return exchanges;
  auto select = database_.Prepare(
      "SELECT position, request, outcome FROM exchanges WHERE campaign = ?1 "
      "AND outcome IS NOT ?2 ORDER BY position");
  if (!select) return select.error();
  select->Bind(1, campaign_).Bind(2, kLost);
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return exchanges;
    StoredExchange exchange;
    exchange.position = select->Integer(0);
    const std::string what =
        fmt::format("{}: exchange {} of {}", database_.path(), exchange.position, campaign_);
    auto request = ParseJson(select->Text(1), what);
    if (!request) return Error{Errc::kCorrupt, request.error().message};
    exchange.request = std::move(*request);
    if (!select->IsNull(2)) {
      const auto json = ParseJson(select->Text(2), what, {.bytes = 256 << 20});
      if (!json) return Error{Errc::kCorrupt, json.error().message};
      auto outcome = ReadChatOutcome(*json, what);
      if (!outcome) return outcome.error();
      exchange.outcome = std::move(*outcome);
    }
    exchanges.push_back(std::move(exchange));
  }
}

Result<ChatSpending> ExchangeLog::TakeOver() {
  const std::lock_guard lock(*mutex_);
  ChatSpending spent;
  auto taken = database_.Transact([&]() -> Result<void> {
    auto sum = database_.Prepare(
        "SELECT coalesce(max(tokens), 0), coalesce(max(picos), 0) FROM exchanges "
        "WHERE campaign = ?1");
    if (!sum) return sum.error();
    sum->Bind(1, campaign_);
    if (auto row = sum->Step(); !row) return row.error();
    spent = {.tokens = sum->Integer(0), .money = Money{sum->Integer(1)}};
    sum->Reset();
    auto update = database_.Prepare(
        "UPDATE exchanges SET outcome = ?2 WHERE campaign = ?1 AND outcome IS NULL");
    if (!update) return update.error();
    update->Bind(1, campaign_).Bind(2, kLost);
    return update->Run();
  });
  if (!taken) return taken.error();
  return spent;
}

}  // namespace hone::agent
