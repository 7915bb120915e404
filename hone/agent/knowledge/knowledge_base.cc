// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "hone/agent/knowledge/words.h"
#include "hone/base/sqlite/bm25.h"
#include "hone/core/nearest.h"

namespace hone::agent {
namespace {

// `words` holds stems, which need no tokenizer of SQLite's beyond splitting at blanks. `terms` says
// in how many passages each is. Since version 2 all that ranking reads of a passage is one row of
// `stems`, without the long texts that `passages` has, and `lengths` is for bm25_given.
const std::vector<std::string_view>& Steps() {
  static const std::vector<std::string_view> steps = {
      "CREATE TABLE knowledge_origins(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL,"
      " digest TEXT NOT NULL);"
      "CREATE TABLE knowledge_passages(id INTEGER PRIMARY KEY, origin INTEGER NOT NULL,"
      " kind INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, facts TEXT NOT NULL,"
      " source TEXT NOT NULL, weight REAL NOT NULL);"
      "CREATE INDEX knowledge_passages_origin ON knowledge_passages(origin);"
      "CREATE TABLE knowledge_names(name TEXT NOT NULL COLLATE NOCASE,"
      " part TEXT NOT NULL COLLATE NOCASE, passage INTEGER NOT NULL, position INTEGER NOT NULL);"
      "CREATE INDEX knowledge_names_name ON knowledge_names(name);"
      "CREATE INDEX knowledge_names_part ON knowledge_names(part);"
      "CREATE INDEX knowledge_names_passage ON knowledge_names(passage, position);"
      "CREATE TABLE knowledge_facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
      "CREATE VIRTUAL TABLE knowledge_words USING fts5(names, title, topics, body,"
      " tokenize='unicode61 remove_diacritics 0');"
      "CREATE VIRTUAL TABLE knowledge_vocabulary USING fts5vocab(knowledge_words, row);"
      "CREATE TABLE knowledge_terms(term TEXT PRIMARY KEY, passages INTEGER NOT NULL)"
      " WITHOUT ROWID;"
      "INSERT INTO knowledge_words(knowledge_words, rank)"
      " VALUES('rank', 'bm25(10.0, 6.0, 2.0, 1.0)')",
      "CREATE TABLE knowledge_stems(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
      " weight REAL NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL, names TEXT NOT NULL,"
      " title TEXT NOT NULL, topics TEXT NOT NULL, body TEXT NOT NULL);"
      "INSERT INTO knowledge_stems SELECT p.id, p.kind, p.weight,"
      " coalesce((SELECT name FROM knowledge_names n WHERE n.passage = p.id AND n.position = 0),"
      " ''), p.source, w.names, w.title, w.topics, w.body"
      " FROM knowledge_words w JOIN knowledge_passages p ON p.id = w.rowid;"
      "DROP TABLE knowledge_vocabulary;"
      "DROP TABLE knowledge_words;"
      "CREATE VIRTUAL TABLE knowledge_words USING fts5(names, title, topics, body,"
      " content='knowledge_stems', content_rowid='id', tokenize='unicode61 remove_diacritics 0');"
      "CREATE VIRTUAL TABLE knowledge_vocabulary USING fts5vocab(knowledge_words, row);"
      "INSERT INTO knowledge_words(knowledge_words) VALUES('rebuild');"
      "CREATE TABLE knowledge_lengths(lengths BLOB NOT NULL)"};
  return steps;
}

// The pages that a question reads, so that the next one finds them: 32 MiB at most.
constexpr std::string_view kCacheSize = "PRAGMA cache_size=-32768";

std::string LastPart(const std::string& name) {
  const std::size_t cut = name.find_last_of(name.front() == '/' ? "/" : "./");
  return cut == std::string::npos || cut + 1 == name.size() ? name : name.substr(cut + 1);
}

// Words that are in the names of all and sundry.
bool IsCommonInNames(const std::string& stem) {
  constexpr std::array<std::string_view, 14> kCommon = {
      "sys",   "proc",    "kernel", "devic", "system", "modul", "paramet",
      "class", "ethtool", "featur", "fs",    "queu",   "net",   "cgroup"};
  return std::find(kCommon.begin(), kCommon.end(), stem) != kCommon.end();
}

std::string NamesForIndex(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) {
    for (const std::string& stem : StemsOf(name)) {
      if (!IsCommonInNames(stem)) line += stem + " ";
    }
  }
  return line;
}

// The last title says what a section is about, those before it where that belongs.
std::pair<std::string, std::string> TitleForIndex(const std::string& title) {
  const std::size_t cut = title.rfind(" > ");
  if (cut == std::string::npos) return {IndexText(title), ""};
  return {IndexText(title.substr(cut)), IndexText(title.substr(0, cut))};
}

// The statements that keep a passage, made once for many.
class PassageInserts {
 public:
  static Result<PassageInserts> Prepare(Database& database) {
    auto row = database.Prepare(
        "INSERT INTO knowledge_passages(origin, kind, title, text, facts, source, weight)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id");
    if (!row) return row.error();
    auto name = database.Prepare("INSERT INTO knowledge_names VALUES (?1, ?2, ?3, ?4)");
    if (!name) return name.error();
    auto stems =
        database.Prepare("INSERT INTO knowledge_stems VALUES (?1, ?6, ?7, ?8, ?9, ?2, ?3, ?4, ?5)");
    if (!stems) return stems.error();
    auto words = database.Prepare(
        "INSERT INTO knowledge_words(rowid, names, title, topics, body)"
        " VALUES (?1, ?2, ?3, ?4, ?5)");
    if (!words) return words.error();
    return PassageInserts(std::move(*row), std::move(*name), std::move(*stems), std::move(*words));
  }

  Result<void> Insert(std::int64_t origin, const Passage& passage) {
    row_.Bind(1, origin).Bind(2, static_cast<std::int64_t>(passage.kind)).Bind(3, passage.title);
    row_.Bind(4, passage.text).Bind(5, passage.facts).Bind(6, passage.source);
    const auto has_row = row_.Bind(7, passage.weight).Step();
    if (!has_row) return has_row.error();
    const std::int64_t id = row_.Integer(0);
    row_.Reset();
    for (std::size_t i = 0; i < passage.names.size(); ++i) {
      if (passage.names[i].empty()) continue;
      name_.Bind(1, passage.names[i]).Bind(2, LastPart(passage.names[i])).Bind(3, id);
      if (auto kept = name_.Bind(4, static_cast<std::int64_t>(i)).Run(); !kept) return kept;
    }
    return Index(id, passage);
  }

 private:
  PassageInserts(Statement row, Statement name, Statement stems, Statement words)
      : row_(std::move(row)),
        name_(std::move(name)),
        stems_(std::move(stems)),
        words_(std::move(words)) {}

  Result<void> Index(std::int64_t id, const Passage& passage) {
    const auto [title, around] = TitleForIndex(passage.title);
    const std::string names = NamesForIndex(passage.names);
    const std::string topics = around + " " + IndexText(passage.topics);
    const std::string body = IndexText(passage.text);
    for (Statement* statement : {&stems_, &words_}) {
      statement->Bind(1, id).Bind(2, names).Bind(3, title).Bind(4, topics).Bind(5, body);
    }
    stems_.Bind(6, static_cast<std::int64_t>(passage.kind)).Bind(7, passage.weight);
    stems_.Bind(8, passage.names.empty() ? "" : passage.names.front()).Bind(9, passage.source);
    if (auto kept = stems_.Run(); !kept) return kept;
    return words_.Run();
  }

  Statement row_;
  Statement name_;
  Statement stems_;
  Statement words_;
};

Result<std::vector<std::string>> TextsOf(Statement& statement) {
  std::vector<std::string> texts;
  for (;;) {
    const auto has_row = statement.Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return texts;
    texts.push_back(statement.Text(0));
  }
}

}  // namespace

std::string BareName(std::string_view name) {
  while (!name.empty() && std::isspace(static_cast<unsigned char>(name.front())) != 0) {
    name.remove_prefix(1);
  }
  while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())) != 0) {
    name.remove_suffix(1);
  }
  if (name.starts_with("CONFIG_")) name.remove_prefix(7);
  return std::string(name);
}

Result<KnowledgeBase> KnowledgeBase::Prepare(Result<Database> database) {
  if (!database) return database.error();
  if (auto migrated = database->Migrate("knowledge", Steps()); !migrated) return migrated.error();
  if (auto sized = database->Execute(kCacheSize); !sized) return sized.error();
  if (auto added = AddBm25Given(*database); !added) return added.error();
  KnowledgeBase base(std::move(*database));
  if (auto counted = base.CountIfNew(); !counted) return counted.error();
  return base;
}

Result<KnowledgeBase> KnowledgeBase::Open(const std::filesystem::path& path) {
  return Prepare(Database::Open(path));
}

Result<KnowledgeBase> KnowledgeBase::OpenInMemory() { return Prepare(Database::OpenInMemory()); }

Result<void> KnowledgeBase::Apply(const BaseChange& change) {
  return database_.Transact([&]() -> Result<void> {
    for (const std::string& origin : change.gone) {
      if (auto removed = Remove(origin); !removed) return removed;
    }
    for (const PassageGroup& group : change.groups) {
      if (auto removed = Remove(group.origin); !removed) return removed;
      if (auto inserted = Insert(group); !inserted) return inserted;
    }
    auto fact = database_.Prepare("INSERT OR REPLACE INTO knowledge_facts VALUES (?1, ?2)");
    if (!fact) return fact.error();
    for (const auto& [name, value] : change.facts) {
      if (auto kept = fact->Bind(1, name).Bind(2, value).Run(); !kept) return kept;
    }
    const bool is_same = change.gone.empty() && change.groups.empty();
    return is_same ? Result<void>() : CountWords();
  });
}

Result<void> KnowledgeBase::Remove(const std::string& origin) {
  constexpr std::string_view kOf =
      "(SELECT id FROM knowledge_passages WHERE origin ="
      " (SELECT id FROM knowledge_origins WHERE name = ?1))";
  const std::string statements[] = {
      fmt::format("DELETE FROM knowledge_words WHERE rowid IN {}", kOf),
      fmt::format("DELETE FROM knowledge_stems WHERE id IN {}", kOf),
      fmt::format("DELETE FROM knowledge_names WHERE passage IN {}", kOf),
      fmt::format("DELETE FROM knowledge_passages WHERE id IN {}", kOf),
      "DELETE FROM knowledge_origins WHERE name = ?1"};
  for (const std::string& sql : statements) {
    auto statement = database_.Prepare(sql);
    if (!statement) return statement.error();
    if (auto done = statement->Bind(1, origin).Run(); !done) return done;
  }
  return {};
}

Result<void> KnowledgeBase::Insert(const PassageGroup& group) {
  auto origin =
      database_.Prepare("INSERT INTO knowledge_origins(name, digest) VALUES (?1, ?2) RETURNING id");
  if (!origin) return origin.error();
  const auto has_row = origin->Bind(1, group.origin).Bind(2, group.digest).Step();
  if (!has_row) return has_row.error();
  const std::int64_t id = origin->Integer(0);
  origin->Reset();
  auto inserts = PassageInserts::Prepare(database_);
  if (!inserts) return inserts.error();
  for (const Passage& passage : group.passages) {
    if (auto inserted = inserts->Insert(id, passage); !inserted) return inserted;
  }
  return {};
}

Result<void> KnowledgeBase::CountWords() {
  auto counted = database_.Execute(
      "DELETE FROM knowledge_terms;"
      "INSERT INTO knowledge_terms SELECT term, doc FROM knowledge_vocabulary;"
      "DELETE FROM knowledge_lengths;"
      "INSERT OR REPLACE INTO knowledge_facts"
      " SELECT 'passages', count(*) FROM knowledge_passages");
  if (!counted) return counted;
  const auto lengths = Bm25Lengths(database_, "knowledge_words");
  if (!lengths) return lengths.error();
  auto kept = database_.Prepare("INSERT INTO knowledge_lengths VALUES (?1)");
  if (!kept) return kept.error();
  return kept->BindBytes(1, *lengths).Run();
}

// A base of an older build has no lengths yet.
Result<void> KnowledgeBase::CountIfNew() {
  const auto is_counted = [this]() -> Result<bool> {
    auto row = database_.Prepare("SELECT 1 FROM knowledge_lengths");
    if (!row) return row.error();
    return row->Step();
  };
  const auto before = is_counted();
  if (!before) return before.error();
  if (*before) return {};
  return database_.Transact([&]() -> Result<void> {
    const auto now = is_counted();  // Another process may have been faster.
    if (!now) return now.error();
    return *now ? Result<void>() : CountWords();
  });
}

Result<std::map<std::string, std::string>> KnowledgeBase::Digests() {
  auto rows = database_.Prepare("SELECT name, digest FROM knowledge_origins");
  if (!rows) return rows.error();
  std::map<std::string, std::string> digests;
  for (;;) {
    const auto has_row = rows->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return digests;
    digests.emplace(rows->Text(0), rows->Text(1));
  }
}

Result<std::string> KnowledgeBase::DigestFor(const std::string& origin) {
  auto row = database_.Prepare("SELECT digest FROM knowledge_origins WHERE name = ?1");
  if (!row) return row.error();
  const auto has_row = row->Bind(1, origin).Step();
  if (!has_row) return has_row.error();
  return *has_row ? row->Text(0) : std::string();
}

Result<std::map<std::string, std::string>> KnowledgeBase::Facts() {
  auto rows = database_.Prepare("SELECT name, value FROM knowledge_facts");
  if (!rows) return rows.error();
  std::map<std::string, std::string> facts;
  for (;;) {
    const auto has_row = rows->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return facts;
    facts.emplace(rows->Text(0), rows->Text(1));
  }
}

Result<BaseContents> KnowledgeBase::Contents() {
  BaseContents contents;
  auto facts = Facts();
  if (!facts) return facts.error();
  contents.facts = std::move(*facts);
  auto rows = database_.Prepare("SELECT kind, count(*) FROM knowledge_passages GROUP BY kind");
  if (!rows) return rows.error();
  for (;;) {
    const auto has_row = rows->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) break;
    const auto kind = static_cast<std::size_t>(rows->Integer(0));
    if (kind < kPassageKinds) contents.passages[kind] = rows->Integer(1);
  }
  auto names = database_.Prepare("SELECT count(DISTINCT name) FROM knowledge_names");
  if (!names) return names.error();
  if (const auto has_row = names->Step(); !has_row) return has_row.error();
  contents.names = names->Integer(0);
  return contents;
}

Result<std::optional<Passage>> ReadPassage(Database& database, std::int64_t id) {
  auto row = database.Prepare(
      "SELECT kind, title, text, facts, source, weight FROM knowledge_passages WHERE id = ?1");
  if (!row) return row.error();
  const auto has_row = row->Bind(1, id).Step();
  if (!has_row) return has_row.error();
  if (!*has_row) return std::optional<Passage>();
  Passage passage;
  const std::int64_t kind = std::clamp<std::int64_t>(row->Integer(0), 0, kPassageKinds - 1);
  passage.kind = static_cast<PassageKind>(kind);
  passage.title = row->Text(1);
  passage.text = row->Text(2);
  passage.facts = row->Text(3);
  passage.source = row->Text(4);
  passage.weight = row->Number(5);
  auto names =
      database.Prepare("SELECT name FROM knowledge_names WHERE passage = ?1 ORDER BY position");
  if (!names) return names.error();
  auto texts = TextsOf(names->Bind(1, id));
  if (!texts) return texts.error();
  passage.names = std::move(*texts);
  return std::optional(std::move(passage));
}

Result<std::vector<Passage>> KnowledgeBase::Named(std::string_view name, std::size_t max) {
  // What is measured is last: a campaign names all that it searched.
  auto rows = database_.Prepare(
      "SELECT p.id, max(n.name = ?1) AS whole FROM knowledge_names n"
      " JOIN knowledge_passages p ON p.id = n.passage WHERE n.name = ?1 OR n.part = ?1"
      " GROUP BY p.id ORDER BY whole DESC, CASE p.kind WHEN 2 THEN 0 WHEN 1 THEN 1 WHEN 0 THEN 2"
      " WHEN 4 THEN 3 WHEN 3 THEN 4 ELSE 5 END, p.weight DESC, p.id LIMIT ?2");
  if (!rows) return rows.error();
  rows->Bind(1, BareName(name)).Bind(2, static_cast<std::int64_t>(max));
  std::vector<Passage> found;
  for (;;) {
    const auto has_row = rows->Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return found;
    auto passage = ReadPassage(database_, rows->Integer(0));
    if (!passage) return passage.error();
    if (*passage) found.push_back(std::move(**passage));
  }
}

Result<std::vector<std::string>> KnowledgeBase::NamesLike(std::string_view name, std::size_t max) {
  const std::string wanted = BareName(name);
  auto rows = database_.Prepare(
      "SELECT DISTINCT name FROM knowledge_names WHERE instr(upper(name), upper(?1)) > 0"
      " ORDER BY length(name), name LIMIT ?2");
  if (!rows) return rows.error();
  auto like = TextsOf(rows->Bind(1, wanted).Bind(2, static_cast<std::int64_t>(max)));
  if (!like || !like->empty()) return like;
  auto all = database_.Prepare("SELECT DISTINCT name FROM knowledge_names");
  if (!all) return all.error();
  const auto known = TextsOf(*all);
  if (!known) return known.error();
  std::vector<std::string> near;
  if (const auto nearest = Nearest(wanted, *known)) near.push_back(*nearest);
  return near;
}

}  // namespace hone::agent
