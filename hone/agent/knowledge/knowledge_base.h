// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/passage.h"
#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

namespace hone::agent {

// What a base holds.
struct BaseContents {
  std::array<std::int64_t, kPassageKinds> passages = {};  // By kind.
  std::int64_t names = 0;
  std::map<std::string, std::string> facts;  // As they were set: "tree", "arch", "kernel", …
};

// A change of a base, made as a whole or not at all.
struct BaseChange {
  std::vector<PassageGroup> groups = {};  // New, or in place of those of the same origin.
  std::vector<std::string> gone = {};     // Origins whose passages go.
  std::map<std::string, std::string> facts = {};
};

// Passages in a SQLite file, found by name or by their words (FTS5 over stems). For one thread at a
// time; several processes may read while one writes, and see the old base until it is done.
class KnowledgeBase {
 public:
  static Result<KnowledgeBase> Open(const std::filesystem::path& path);
  static Result<KnowledgeBase> OpenInMemory();

  // Whatever ends the process before it returns leaves what was there.
  Result<void> Apply(const BaseChange& change);

  Result<std::map<std::string, std::string>> Digests();      // By origin.
  Result<std::string> DigestFor(const std::string& origin);  // Empty if nothing is of it.
  Result<BaseContents> Contents();
  Result<std::map<std::string, std::string>> Facts();

  // Those about a name: the whole of it or its last part ("swappiness"), in capitals or not, with
  // CONFIG_ or without. What we know comes first, then options, then the rest. At most `max`.
  Result<std::vector<Passage>> Named(std::string_view name, std::size_t max);

  // Names like it, for "did you mean".
  Result<std::vector<std::string>> NamesLike(std::string_view name, std::size_t max);

  // For the search: hone/agent/knowledge/knowledge_search.h.
  Database& database() { return database_; }

 private:
  explicit KnowledgeBase(Database database) : database_(std::move(database)) {}
  static Result<KnowledgeBase> Prepare(Result<Database> database);
  Result<void> Remove(const std::string& origin);
  Result<void> Insert(const PassageGroup& group);
  Result<void> CountWords();
  Result<void> CountIfNew();

  Database database_;
};

// A row of passages with its names; nullopt if there is none of that number.
Result<std::optional<Passage>> ReadPassage(Database& database, std::int64_t id);

// A name without CONFIG_ and the blanks around it.
std::string BareName(std::string_view name);

}  // namespace hone::agent
