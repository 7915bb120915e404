// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_build.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "hone/agent/knowledge/option_passages.h"
#include "hone/base/file.h"
#include "hone/base/sha256.h"

namespace hone::agent {
namespace {

constexpr int kOptionsVersion = 1;  // To be raised whenever their passages are made differently.
constexpr std::string_view kOptionsOrigin = "kconfig";
constexpr std::size_t kMaxNotes = 20;

using Digests = std::map<std::string, std::string>;

bool IsKept(const Digests& known, const std::string& origin, const std::string& digest) {
  const auto found = known.find(origin);
  return found != known.end() && found->second == digest;
}

std::string DigestOfPassages(const std::vector<Passage>& passages) {
  Sha256 sum;
  for (const Passage& passage : passages) {
    for (const std::string_view text : std::initializer_list<std::string_view>{
             passage.names.front(), passage.title, passage.text, passage.facts, passage.source}) {
      sum.AddText(text);
    }
  }
  return fmt::format("{}-{}", kOptionsVersion, HexOf(sum.Take()));
}

struct Naming {
  NameBook book;
  std::string digest;  // Of what the book was made from: documents are named by it.
};

Naming NamingOf(const std::vector<PassageGroup>& own) {
  Naming naming;
  std::string names;
  for (const PassageGroup& group : own) {
    for (const Passage& passage : group.passages) {
      if (passage.kind != PassageKind::kParameter) continue;
      naming.book.Add(passage.names.front());
      names += passage.names.front() + "\n";
    }
  }
  naming.digest = fmt::format("{}-{}", kDocumentsVersion, Sha256Of(names));
  return naming;
}

Result<void> AddDocuments(const KnowledgeTree& tree, const std::vector<PassageGroup>& own,
                          const Digests& known, BaseChange& change, BuildReport& report) {
  auto list = ListDocuments(tree.root, tree.limits);
  if (!list) return list.error();
  report.notes = std::move(list->notes);
  report.documents = list->paths.size();
  const Naming naming = NamingOf(own);
  std::set<std::string> there;
  for (const std::string& path : list->paths) {
    const std::string origin = CleanText(path, 1'000);
    const auto text = ReadRegularFile(tree.root / path, tree.limits.file_bytes);
    if (!text) {
      report.notes.push_back(CleanText(text.error().message, 1'000));
      continue;
    }
    if (!there.insert(origin).second) continue;
    std::string digest = fmt::format("{}-{}", naming.digest, Sha256Of(*text));
    if (IsKept(known, origin, digest)) continue;
    ++report.changed_documents;
    change.groups.push_back(
        {origin, std::move(digest), DocumentPassages(path, *text, naming.book)});
  }
  for (const auto& [origin, digest] : known) {
    if (origin.starts_with("Documentation/") && !there.contains(origin)) {
      change.gone.push_back(origin);
    }
  }
  report.gone = change.gone.size();
  if (report.notes.size() > kMaxNotes) {
    const std::size_t more = report.notes.size() - kMaxNotes;
    report.notes.resize(kMaxNotes);
    report.notes.push_back(fmt::format("and {} more like these", more));
  }
  return {};
}

void AddOwn(const std::vector<PassageGroup>& own, const Digests& known, BaseChange& change) {
  for (const PassageGroup& group : own) {
    if (!IsKept(known, group.origin, group.digest)) change.groups.push_back(group);
  }
}

}  // namespace

Result<BuildReport> BuildKnowledge(KnowledgeBase& base, const KnowledgeTree& tree,
                                   const std::vector<PassageGroup>& own,
                                   const std::function<void(const std::string& text)>& tell) {
  const auto known = base.Digests();
  if (!known) return known.error();
  BuildReport report;
  BaseChange change;
  change.facts = tree.facts;
  if (tell) tell("reading the documentation");
  if (auto added = AddDocuments(tree, own, *known, change, report); !added) return added.error();
  PassageGroup options{std::string(kOptionsOrigin), {}, OptionPassages(*tree.options)};
  report.options = options.passages.size();
  options.digest = DigestOfPassages(options.passages);
  report.is_options_changed = !IsKept(*known, options.origin, options.digest);
  if (report.is_options_changed) change.groups.push_back(std::move(options));
  AddOwn(own, *known, change);
  if (tell) tell("writing the index");
  if (auto applied = base.Apply(change); !applied) return applied.error();
  return report;
}

Result<bool> RefreshOwn(KnowledgeBase& base, const std::vector<PassageGroup>& own) {
  const auto known = base.Digests();
  if (!known) return known.error();
  BaseChange change;
  AddOwn(own, *known, change);
  if (change.groups.empty()) return false;
  if (auto applied = base.Apply(change); !applied) return applied.error();
  return true;
}

}  // namespace hone::agent
