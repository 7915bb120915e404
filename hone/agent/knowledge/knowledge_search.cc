// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/knowledge_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hone/agent/knowledge/concepts.h"
#include "hone/agent/knowledge/words.h"

namespace hone::agent {
namespace {

constexpr std::int64_t kMaxScored = 1'200;    // Passages with rare words, each costs a bm25.
constexpr std::int64_t kMaxLookedAt = 8'000;  // Passages with common ones; a tenth costs it.
constexpr std::int64_t kMaxJudged = 160;      // Passages that are judged.
constexpr std::size_t kMaxOfDocument = 2;     // Hits in one file of the documentation.
constexpr std::size_t kMaxNamed = 8;          // Passages of a name that is in the question.
constexpr double kNamedBonus = 1'000;         // A name as it is goes before whatever words give.
constexpr double kWordBonus = 4;              // Of a name in capitals among other words.
constexpr double kCompanion = 0.2;            // Of another passage's score about the same name.

// How often a kind is what was asked for.
double KindWeight(PassageKind kind) {
  constexpr std::array<double, kPassageKinds> kWeights = {1.0, 1.25, 1.35, 0.8, 0.95, 0.6};
  return kWeights.at(static_cast<std::size_t>(kind));
}

struct Judged {
  std::int64_t id = 0;
  PassageKind kind = PassageKind::kDocument;
  double score = 0;
  std::string key;  // Hits with the same one are about the same thing.
  std::string source;
};

// The rarest words wherever they are; those that are in many passages only where they are in the
// name or the title, which is far less to compute; the most common ones not at all.
std::string MatchExpression(const std::vector<Concept>& concepts) {
  std::vector<std::pair<std::int64_t, std::string>> words;
  for (const Concept& each : concepts) {
    for (const ConceptWord& word : each.words) words.emplace_back(word.passages, word.stem);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string anywhere;
  std::string in_titles;
  std::int64_t scored = 0;
  std::int64_t looked_at = 0;
  for (const auto& [passages, stem] : words) {
    const bool is_rare = scored + passages <= kMaxScored;
    if (!is_rare && !in_titles.empty() && looked_at + passages > kMaxLookedAt) break;
    std::string& part = is_rare ? anywhere : in_titles;
    part += fmt::format("{}\"{}\"", part.empty() ? "" : " OR ", stem);
    (is_rare ? scored : looked_at) += passages;
  }
  if (in_titles.empty()) return anywhere;
  in_titles = fmt::format("({{names title}} : ({}))", in_titles);
  return anywhere.empty() ? in_titles : anywhere + " OR " + in_titles;
}

Result<std::vector<std::int64_t>> IdsOf(Statement& rows) {
  std::vector<std::int64_t> ids;
  for (;;) {
    const auto has_row = rows.Step();
    if (!has_row) return has_row.error();
    if (!*has_row) return ids;
    ids.push_back(rows.Integer(0));
  }
}

Result<std::vector<std::int64_t>> Candidates(Database& database,
                                             const std::vector<Concept>& concepts,
                                             const SearchOptions& options) {
  const std::string expression = MatchExpression(concepts);
  if (expression.empty()) return std::vector<std::int64_t>();
  auto lengths = database.Prepare("SELECT lengths FROM knowledge_lengths");
  if (!lengths) return lengths.error();
  if (const auto has_row = lengths->Step(); !has_row) return has_row.error();
  auto rows = database.Prepare(
      "SELECT rowid FROM knowledge_words WHERE knowledge_words MATCH ?1"
      " ORDER BY bm25_given(knowledge_words, ?2, 10.0, 6.0, 2.0, 1.0) LIMIT ?3");
  if (!rows) return rows.error();
  // Those of other kinds are left out afterwards.
  const std::int64_t max = options.kinds.empty() ? kMaxJudged : 4 * kMaxJudged;
  return IdsOf(rows->Bind(1, expression).BindBytes(2, lengths->View(0)).Bind(3, max));
}

// What the question names. A word in capitals may also be a word: CPU, TLS.
struct NamedPassages {
  std::vector<std::int64_t> surely;
  std::vector<std::int64_t> perhaps;
};

Result<NamedPassages> NamedIn(Database& database, std::string_view question) {
  NamedPassages named;
  const bool is_name_alone = question.find(' ') == std::string_view::npos;
  auto rows = database.Prepare(
      "SELECT n.passage FROM knowledge_names n JOIN knowledge_passages p ON p.id = n.passage"
      " WHERE (n.name = ?1 OR n.part = ?1) AND p.kind != ?2 LIMIT ?3");
  if (!rows) return rows.error();
  for (const std::string& name : IdentifiersIn(question)) {
    rows->Reset();
    rows->Bind(1, name).Bind(2, static_cast<std::int64_t>(PassageKind::kMeasured));
    const auto ids = IdsOf(rows->Bind(3, static_cast<std::int64_t>(kMaxNamed)));
    if (!ids) return ids.error();
    const bool is_name = is_name_alone || name.find_first_of("_./") != std::string::npos;
    auto& kept = is_name ? named.surely : named.perhaps;
    kept.insert(kept.end(), ids->begin(), ids->end());
  }
  return named;
}

// "Documentation/mm/ksm.rst" of "Documentation/mm/ksm.rst:12".
std::string FileOf(std::string_view source) {
  return std::string(source.substr(0, source.rfind(':')));
}

std::string UpperName(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

class Judgement {
 public:
  Judgement(Database& database, const std::vector<Concept>& concepts, const SearchOptions& options)
      : database_(database), scorer_(concepts), options_(options) {}

  Result<void> Judge(const std::vector<std::int64_t>& ids, double bonus) {
    auto row = database_.Prepare(
        "SELECT kind, weight, name, source, names, title, topics, body"
        " FROM knowledge_stems WHERE id = ?1");
    if (!row) return row.error();
    for (const std::int64_t id : ids) {
      if (!seen_.insert(id).second) continue;
      row->Reset();
      const auto has_row = row->Bind(1, id).Step();
      if (!has_row) return has_row.error();
      if (*has_row) Add(id, *row, bonus);
    }
    return {};
  }

  std::vector<Judged> Ranked() {
    std::sort(judged_.begin(), judged_.end(), [](const Judged& a, const Judged& b) {
      return a.score != b.score ? a.score > b.score : a.id < b.id;
    });
    return std::move(judged_);
  }

 private:
  void Add(std::int64_t id, const Statement& row, double bonus) {
    const std::int64_t number = std::clamp<std::int64_t>(row.Integer(0), 0, kPassageKinds - 1);
    const auto kind = static_cast<PassageKind>(number);
    const bool is_wanted =
        options_.kinds.empty() ||
        std::find(options_.kinds.begin(), options_.kinds.end(), kind) != options_.kinds.end();
    if (!is_wanted) return;
    const FieldTexts fields = {row.View(4), row.View(5), row.View(6), row.View(7)};
    const double score = scorer_.ScoreOf(fields) * KindWeight(kind) * row.Number(1) + bonus;
    if (score <= 0) return;
    const std::string_view name = row.View(2);
    const std::string_view source = row.View(3);
    const bool is_of_name = kind != PassageKind::kMeasured && !name.empty();
    judged_.push_back({.id = id,
                       .kind = kind,
                       .score = score,
                       .key = is_of_name ? UpperName(name) : FileOf(source),
                       .source = std::string(source)});
  }

  Database& database_;
  PassageScorer scorer_;
  const SearchOptions& options_;
  std::set<std::int64_t> seen_;
  std::vector<Judged> judged_;
};

// One hit for each thing, its companions added to it.
struct Gathered {
  Judged best;
  std::vector<std::string> others;  // Their sources.
};

std::vector<Gathered> Gather(const std::vector<Judged>& ranked) {
  std::vector<Gathered> gathered;
  std::map<std::string, std::size_t> places;
  std::map<std::string, std::size_t> of_document;
  for (const Judged& each : ranked) {
    if (each.kind == PassageKind::kDocument) {
      if (++of_document[each.key] <= kMaxOfDocument) gathered.push_back({each, {}});
      continue;
    }
    const auto [at, is_new] = places.emplace(each.key, gathered.size());
    if (is_new) {
      gathered.push_back({each, {}});
    } else {
      gathered[at->second].best.score += kCompanion * each.score;
      gathered[at->second].others.push_back(each.source);
    }
  }
  std::stable_sort(gathered.begin(), gathered.end(), [](const Gathered& a, const Gathered& b) {
    return a.best.score > b.best.score;
  });
  return gathered;
}

Result<std::vector<KnowledgeHit>> ReadHits(Database& database,
                                           const std::vector<Gathered>& gathered, std::size_t max) {
  std::vector<KnowledgeHit> hits;
  for (const Gathered& each : gathered) {
    if (hits.size() >= max) break;
    auto passage = ReadPassage(database, each.best.id);
    if (!passage) return passage.error();
    if (!*passage) continue;
    const auto shown = static_cast<std::ptrdiff_t>(std::min(each.others.size(), kMaxNamed));
    hits.push_back({.passage = std::move(**passage),
                    .score = each.best.score,
                    .also = {each.others.begin(), each.others.begin() + shown}});
  }
  return hits;
}

Result<std::vector<KnowledgeHit>> HitsFor(Database& database, std::string_view question,
                                          const SearchOptions& options) {
  const auto concepts = ConceptsOf(database, question);
  if (!concepts) return concepts.error();
  const auto named = NamedIn(database, question);
  if (!named) return named.error();
  const auto candidates = Candidates(database, *concepts, options);
  if (!candidates) return candidates.error();
  Judgement judgement(database, *concepts, options);
  if (auto judged = judgement.Judge(named->surely, kNamedBonus); !judged) return judged.error();
  if (auto judged = judgement.Judge(named->perhaps, kWordBonus); !judged) return judged.error();
  if (auto judged = judgement.Judge(*candidates, 0); !judged) return judged.error();
  return ReadHits(database, Gather(judgement.Ranked()), options.max);
}

}  // namespace

Result<std::vector<KnowledgeHit>> SearchKnowledge(KnowledgeBase& base, std::string_view question,
                                                  const SearchOptions& options) {
  std::vector<KnowledgeHit> hits;
  const auto done = base.database().Read([&]() -> Result<void> {
    auto found = HitsFor(base.database(), question.substr(0, kMaxQuestion), options);
    if (!found) return found.error();
    hits = std::move(*found);
    return {};
  });
  if (!done) return done.error();
  return hits;
}

}  // namespace hone::agent
