// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/campaign_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <thread>
#include <utility>

#include "hone/base/json/records.h"
#include "hone/eval/sqlite/eval_schema.h"

namespace hone::tune {
namespace {

// docs/formats/store.md describes the tables.
constexpr std::string_view kSchema = R"sql(
  CREATE TABLE campaigns (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    created    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    start      TEXT NOT NULL,
    verdict    TEXT,
    last_error TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE decisions (
    campaign TEXT NOT NULL REFERENCES campaigns(id),
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    choice   TEXT NOT NULL,
    grounds  TEXT NOT NULL,
    PRIMARY KEY (campaign, position)
  ) STRICT, WITHOUT ROWID;
)sql";

constexpr std::string_view kSchema2 = R"sql(
  ALTER TABLE campaigns ADD COLUMN aftermath TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::string_view kSchema3 = R"sql(
  CREATE TABLE policies (
    campaign TEXT NOT NULL PRIMARY KEY REFERENCES campaigns(id),
    at       INTEGER NOT NULL,
    policy   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
)sql";

// What older builds queued for a campaign is the campaign's.
constexpr std::string_view kSchema4 = R"sql(
  UPDATE queue_tasks SET owner = substr(id, 1, instr(id, '/') - 1)
  WHERE substr(id, 1, instr(id, '/') - 1) IN (SELECT id FROM campaigns);
)sql";

constexpr std::string_view kSchema5 = R"sql(
  CREATE TABLE labels (
    campaign TEXT NOT NULL PRIMARY KEY REFERENCES campaigns(id),
    label    TEXT NOT NULL,
    note     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
)sql";

const std::vector<std::string_view>& Steps() {
  static const std::vector<std::string_view> steps{kSchema, kSchema2, kSchema3, kSchema4, kSchema5};
  return steps;
}

constexpr std::string_view kColumns = "id, created, updated, start, verdict, last_error, aftermath";

// Files from this version on can be read as they are: newer ones only have more tables.
constexpr std::int64_t kReadable = 2;

// Who only looks whether a campaign runs (IsRunning) is in the way for less than this.
constexpr int kMaxLooks = 5;
constexpr std::chrono::milliseconds kOneLook{5};

Json StartJson(const CampaignStart& start) {
  Json json = {{"spec", ToJson(start.spec)},         {"space", ToJson(start.space)},
               {"baseline", ToJson(start.baseline)}, {"needs", ToJson(start.needs)},
               {"machine", start.machine},           {"version", start.version}};
  if (!start.name.empty()) json["name"] = start.name;
  if (!start.prices.empty()) json["prices"] = start.prices;
  if (!start.submitter.empty()) json["submitter"] = start.submitter;
  return json;
}

Result<CampaignStart> ParseStart(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  CampaignStart start;
  const Json spec_json = reader.At("spec").Raw();
  start.space = ReadSpace(reader.At("space"));
  start.baseline = ReadCandidate(reader.At("baseline"));
  start.needs = ReadCapabilities(reader.At("needs"));
  for (auto& [name, value] : reader.At("machine").Members()) start.machine[name] = value.String();
  start.version = reader.At("version").String();
  if (reader.Has("name")) start.name = reader.At("name").String();
  if (reader.Has("prices")) {
    for (auto& [name, price] : reader.At("prices").Members()) start.prices[name] = price.Number();
  }
  if (reader.Has("submitter")) start.submitter = reader.At("submitter").String();
  reader.RefuseOthers();
  if (auto done = reader.Finish(); !done) return done.error();
  auto spec = ReadCampaignSpec(spec_json, what + ": spec");
  if (!spec) return spec.error();
  start.spec = std::move(*spec);
  return start;
}

// What ids begin with: a workload's name may be any line of text, and an id is part of file names.
std::string IdStem(const CampaignStart& start) {
  constexpr std::size_t kMaxStem = 24;
  std::string stem;
  for (const char letter : start.name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (is_plain) stem += letter;
    if (!is_plain && !stem.empty() && stem.back() != '-') stem += '-';
    if (stem.size() == kMaxStem) break;
  }
  while (stem.ends_with('-')) stem.pop_back();
  return stem.empty() ? start.spec.domain : stem;
}

// Stored data that does not read is for a person to look at, whatever the reader called it.
Error AsCorrupt(const Error& error) { return Error{Errc::kCorrupt, error.message}; }

// The tasks first: a step of the campaigns gives them their owners.
Result<void> BringUpToDate(Database& database) {
  if (auto tasks = MigrateEvalSchema(database); !tasks) return tasks;
  return database.Migrate("campaigns", Steps());
}

// Brings a file of an older build up to date before it is read; one of a newer build is refused.
Result<void> Renew(const std::filesystem::path& path, Database& reader) {
  const auto version = reader.VersionOf("campaigns");
  if (!version) return version.error();
  if (*version == std::ssize(Steps())) return {};
  if (*version > std::ssize(Steps())) return reader.Migrate("campaigns", Steps());
  auto writer = Database::Open(path);
  auto renewed = writer ? BringUpToDate(*writer) : Result<void>(writer.error());
  if (renewed || *version >= kReadable) return {};
  return Error{
      Errc::kUnsupported,
      fmt::format("{}: an older Hone wrote it, and it cannot be brought up to date: {}; run "
                  "hone runs once as a user who may write it",
                  path.string(), renewed.error().message)};
}

}  // namespace

CampaignStore::CampaignStore(Database database, std::filesystem::path path, Clock& clock)
    : database_(std::move(database)), path_(std::move(path)), clock_(&clock) {}

Result<void> CampaignStore::Commit(Statement& change) {
  auto done = change.Run();
  rope_.Ring();
  return done;
}

Result<CampaignStore> CampaignStore::Open(const std::filesystem::path& path, Clock& clock,
                                          Database::Mode mode) {
  auto database = Database::Open(path, mode);
  if (!database) return database.error();
  const bool is_writer = mode == Database::Mode::kReadWrite;
  auto migrated = is_writer ? BringUpToDate(*database) : Renew(path, *database);
  if (!migrated) return migrated.error();
  CampaignStore store(std::move(*database), path, clock);
  if (is_writer) store.rope_ = ChangeNotifier(ChangeSignalOf(path));
  return store;
}

Result<std::string> CampaignStore::Create(const CampaignStart& start) {
  std::string id;
  const auto now = ToMicroseconds(clock_->Wall());
  auto stored = database_.Transact([&]() -> Result<void> {
    auto newest = database_.Prepare(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'campaigns'), 0) + 1");
    if (!newest) return newest.error();
    if (auto row = newest->Step(); !row) return row.error();
    id = fmt::format("{}-{}", IdStem(start), newest->Integer(0));
    newest->Reset();
    auto insert = database_.Prepare(
        "INSERT INTO campaigns (id, created, updated, start) VALUES (?1, ?2, ?2, ?3)");
    if (!insert) return insert.error();
    insert->Bind(1, id).Bind(2, now).Bind(3, Dump(StartJson(start)));
    return insert->Run();
  });
  if (!stored) return stored.error();
  rope_.Ring();
  return id;
}

Result<StoredCampaign> CampaignStore::Read(const Statement& row) const {
  StoredCampaign campaign;
  campaign.id = row.Text(0);
  campaign.created = FromMicroseconds(row.Integer(1));
  campaign.updated = FromMicroseconds(row.Integer(2));
  const std::string what = fmt::format("{}: campaign {}", path_.string(), campaign.id);
  auto start = ParseStart(row.Text(3), what);
  if (!start) return AsCorrupt(start.error());
  campaign.start = std::move(*start);
  if (!row.IsNull(4)) {
    const auto json = ParseJson(row.Text(4), what + ": verdict");
    if (!json) return AsCorrupt(json.error());
    auto verdict = ReadVerdict(*json, what + ": verdict");
    if (!verdict) return AsCorrupt(verdict.error());
    campaign.verdict = std::move(*verdict);
    campaign.state = CampaignState::kDone;
  }
  campaign.last_error = row.Text(5);
  campaign.restore_text = row.Text(6);
  return campaign;
}

Result<StoredCampaign> CampaignStore::Find(const std::string& id, const CampaignAsker& asker) {
  const bool is_last = id == "last";
  auto select = database_.Prepare(fmt::format("SELECT {} FROM campaigns {}", kColumns,
                                              is_last ? "ORDER BY number DESC" : "WHERE id = ?1"));
  if (!select) return select.error();
  if (!is_last) select->Bind(1, id);
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) break;
    auto campaign = Read(*select);
    if (!campaign || asker.Sees(campaign->start.submitter)) return campaign;
  }
  return Error{Errc::kNotFound,
               is_last ? "no campaign is stored yet: start one with hone tune"
                       : fmt::format("campaign {}: no such campaign; hone runs lists them", id)};
}

Result<std::vector<StoredCampaign>> CampaignStore::List(const CampaignAsker& asker) {
  auto select =
      database_.Prepare(fmt::format("SELECT {} FROM campaigns ORDER BY number DESC", kColumns));
  if (!select) return select.error();
  std::vector<StoredCampaign> campaigns;
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return campaigns;
    auto campaign = Read(*select);
    if (!campaign) return campaign.error();
    if (asker.Sees(campaign->start.submitter)) campaigns.push_back(std::move(*campaign));
  }
}

Result<std::vector<StoredDecision>> CampaignStore::Decisions(const std::string& id,
                                                             std::size_t first) {
  auto select = database_.Prepare(
      "SELECT at, kind, choice, grounds FROM decisions WHERE campaign = ?1 AND position >= ?2 "
      "ORDER BY position");
  if (!select) return select.error();
  select->Bind(1, id).Bind(2, static_cast<std::int64_t>(first));
  std::vector<StoredDecision> decisions;
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return decisions;
    const std::string what =
        fmt::format("{}: decision {} of {}", path_.string(), first + decisions.size(), id);
    auto choice = ParseJson(select->Text(2), what);
    if (!choice) return AsCorrupt(choice.error());
    auto grounds = ParseJson(select->Text(3), what);
    if (!grounds) return AsCorrupt(grounds.error());
    decisions.push_back({{select->Text(1), std::move(*choice), std::move(*grounds)},
                         FromMicroseconds(select->Integer(0))});
  }
}

Result<void> CampaignStore::Append(const std::string& id, std::size_t index,
                                   const Decision& decision) {
  auto insert = database_.Prepare("INSERT INTO decisions VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  if (!insert) return insert.error();
  insert->Bind(1, id)
      .Bind(2, static_cast<std::int64_t>(index))
      .Bind(3, ToMicroseconds(clock_->Wall()))
      .Bind(4, decision.kind)
      .Bind(5, Dump(decision.choice))
      .Bind(6, Dump(decision.grounds));
  return Commit(*insert);
}

Result<void> CampaignStore::Finish(const std::string& id, const Verdict& verdict) {
  auto update = database_.Prepare(
      "UPDATE campaigns SET verdict = ?2, updated = ?3, last_error = '' WHERE id = ?1");
  if (!update) return update.error();
  update->Bind(1, id).Bind(2, Dump(ToJson(verdict))).Bind(3, ToMicroseconds(clock_->Wall()));
  return Commit(*update);
}

Result<void> CampaignStore::NoteError(const std::string& id, const std::string& message) {
  auto update =
      database_.Prepare("UPDATE campaigns SET last_error = ?2, updated = ?3 WHERE id = ?1");
  if (!update) return update.error();
  update->Bind(1, id).Bind(2, message).Bind(3, ToMicroseconds(clock_->Wall()));
  return Commit(*update);
}

Result<void> CampaignStore::NoteRestore(const std::string& id, const std::string& sentence) {
  auto update = database_.Prepare("UPDATE campaigns SET aftermath = ?2 WHERE id = ?1");
  if (!update) return update.error();
  update->Bind(1, id).Bind(2, sentence);
  return Commit(*update);
}

Result<void> CampaignStore::KeepPolicy(const std::string& id, const std::string& policy) {
  auto insert = database_.Prepare("INSERT OR REPLACE INTO policies VALUES (?1, ?2, ?3)");
  if (!insert) return insert.error();
  insert->Bind(1, id).Bind(2, ToMicroseconds(clock_->Wall())).Bind(3, policy);
  return Commit(*insert);
}

Result<std::optional<std::string>> CampaignStore::Policy(const std::string& id) {
  const auto has_table = HasTable("policies");
  if (!has_table) return has_table.error();
  if (!*has_table) return std::optional<std::string>();
  auto select = database_.Prepare("SELECT policy FROM policies WHERE campaign = ?1");
  if (!select) return select.error();
  select->Bind(1, id);
  const auto has_row = select->Step();
  if (!has_row) return has_row.error();
  return *has_row ? std::optional(select->Text(0)) : std::nullopt;
}

Result<bool> CampaignStore::HasTable(const std::string& name) {
  auto table = database_.Prepare("SELECT 1 FROM sqlite_master WHERE name = ?1");
  if (!table) return table.error();
  table->Bind(1, name);
  return table->Step();
}

Result<void> CampaignStore::SetLabel(const std::string& id, const CampaignLabel& label) {
  const bool is_none = label.label.empty() && label.note.empty();
  auto change = database_.Prepare(is_none ? "DELETE FROM labels WHERE campaign = ?1"
                                          : "INSERT OR REPLACE INTO labels VALUES (?1, ?2, ?3)");
  if (!change) return change.error();
  change->Bind(1, id);
  if (!is_none) change->Bind(2, label.label).Bind(3, label.note);
  return Commit(*change);
}

Result<std::map<std::string, CampaignLabel>> CampaignStore::Labels() {
  std::map<std::string, CampaignLabel> labels;
  const auto has_table = HasTable("labels");
  if (!has_table) return has_table.error();
  if (!*has_table) return labels;
  auto select = database_.Prepare("SELECT campaign, label, note FROM labels");
  if (!select) return select.error();
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return labels;
    labels[select->Text(0)] = {select->Text(1), select->Text(2)};
  }
}

Result<void> CampaignStore::Forget(const std::string& id) {
  // Made by the agent's log, in files of campaigns that asked a language model.
  const auto has_exchanges = HasTable("exchanges");
  if (!has_exchanges) return has_exchanges.error();
  std::vector<const char*> changes{
      "DELETE FROM labels WHERE campaign = ?1", "DELETE FROM policies WHERE campaign = ?1",
      "DELETE FROM decisions WHERE campaign = ?1", "DELETE FROM campaigns WHERE id = ?1"};
  if (*has_exchanges) changes.push_back("DELETE FROM exchanges WHERE campaign = ?1");
  auto gone = database_.Transact([&]() -> Result<void> {
    for (const char* const sql : changes) {
      auto statement = database_.Prepare(sql);
      if (!statement) return statement.error();
      statement->Bind(1, id);
      if (auto done = statement->Run(); !done) return done;
    }
    return {};
  });
  rope_.Ring();
  return gone;
}

Result<std::map<std::string, CampaignActivity>> CampaignStore::Activity() {
  auto select = database_.Prepare(
      "SELECT campaign, count(*) FILTER (WHERE kind = 'ask'), max(at) FROM decisions "
      "GROUP BY campaign");
  if (!select) return select.error();
  std::map<std::string, CampaignActivity> activity;
  while (true) {
    const auto has_row = select->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return activity;
    activity[select->Text(0)] = {select->Integer(1), FromMicroseconds(select->Integer(2))};
  }
}

std::filesystem::path CampaignStore::LockPath(const std::string& id) const {
  return path_.parent_path() / "locks" / fmt::format("{}-{}", path_.filename().string(), id);
}

bool CampaignStore::IsRunning(const std::string& id) const {
  return FileLock::IsHeld(LockPath(id));
}

Result<FileLock> CampaignStore::Lock(const std::string& id) const {
  const std::filesystem::path file = LockPath(id);
  if (auto made = MakeFolder(file.parent_path()); !made) return made.error();
  auto lock = FileLock::Take(file);
  for (int look = 0; look < kMaxLooks && !lock && lock.error().code == Errc::kStale; ++look) {
    std::this_thread::sleep_for(kOneLook);
    lock = FileLock::Take(file);
  }
  if (lock || lock.error().code != Errc::kStale) return lock;
  return Error{Errc::kStale, fmt::format("campaign {}: it is running in another process ({})", id,
                                         lock.error().message)};
}

Result<Ledger> CampaignStore::OpenLedger(const std::string& id) {
  auto stored = Decisions(id);
  if (!stored) return stored.error();
  std::vector<Decision> decisions;
  for (StoredDecision& decision : *stored) decisions.push_back(std::move(decision.decision));
  return Ledger(std::move(decisions), [this, id](std::size_t index, const Decision& decision) {
    return Append(id, index, decision);
  });
}

}  // namespace hone::tune
