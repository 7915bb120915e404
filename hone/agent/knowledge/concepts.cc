// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/concepts.h"

#include <algorithm>
#include <cmath>

#include "hone/agent/knowledge/synonyms.h"
#include "hone/agent/knowledge/words.h"

namespace hone::agent {
namespace {

constexpr double kSynonymWeight = 0.75;
constexpr double kPhraseWeight = 0.9;  // A phrase says more than a word: "huge pages".
constexpr double kSaturation = 1.6;    // The k of BM25F.
constexpr std::size_t kMaxConcepts = 24;

struct FieldRule {
  double weight;
  double length;     // The usual one, in words.
  double normalise;  // 0: a long field is as good as a short one; 1: occurrences a length count.
};
constexpr std::array<FieldRule, kFields> kFieldRules = {
    FieldRule{5.0, 3, 0.6}, FieldRule{3.0, 7, 0.5}, FieldRule{0.8, 6, 0.5},
    FieldRule{1.0, 90, 0.7}};

void AddWord(Concept& target, const std::string& stem, double weight) {
  for (ConceptWord& word : target.words) {
    if (word.stem != stem) continue;
    word.weight = std::max(word.weight, weight);
    return;
  }
  target.words.push_back({.stem = stem, .weight = weight});
}

Concept* ConceptWith(std::vector<Concept>& concepts, const std::string& stem) {
  for (Concept& each : concepts) {
    if (each.words.front().stem == stem) return &each;
  }
  return nullptr;
}

// A phrase of one word adds to that word's concept, a longer one is a concept of its own.
void AddSynonyms(const Synonyms::Match& match, std::vector<Concept>& concepts) {
  if (match.phrase.size() == 1) {
    Concept* known = ConceptWith(concepts, match.phrase.front());
    if (known != nullptr) {
      for (const std::string& stem : match.also) AddWord(*known, stem, kSynonymWeight);
      return;
    }
  }
  Concept phrase;
  for (const std::string& stem : match.also) AddWord(phrase, stem, kPhraseWeight);
  if (!phrase.words.empty()) concepts.push_back(std::move(phrase));
}

Result<std::int64_t> CountOf(Statement& terms, const std::string& stem) {
  terms.Reset();
  const auto has_row = terms.Bind(1, stem).Step();
  if (!has_row) return has_row.error();
  return *has_row ? terms.Integer(0) : 0;
}

Result<std::int64_t> PassageCount(Database& database) {
  auto row = database.Prepare("SELECT value FROM knowledge_facts WHERE name = 'passages'");
  if (!row) return row.error();
  const auto has_row = row->Step();
  if (!has_row) return has_row.error();
  return *has_row ? row->Integer(0) : 0;
}

}  // namespace

Result<std::vector<Concept>> ConceptsOf(Database& database, std::string_view question) {
  std::vector<Concept> concepts;
  const std::vector<std::string> stems = QuestionStems(question);
  for (const std::string& stem : stems) {
    if (concepts.size() < kMaxConcepts && ConceptWith(concepts, stem) == nullptr) {
      concepts.push_back({.words = {{.stem = stem}}});
    }
  }
  for (const Synonyms::Match& match : Synonyms::BuiltIn().In(StemsOf(question))) {
    AddSynonyms(match, concepts);
  }
  const auto count = PassageCount(database);
  if (!count) return count.error();
  auto terms = database.Prepare("SELECT passages FROM knowledge_terms WHERE term = ?1");
  if (!terms) return terms.error();
  for (Concept& each : concepts) {
    for (ConceptWord& word : each.words) {
      const auto passages = CountOf(*terms, word.stem);
      if (!passages) return passages.error();
      word.passages = *passages;
      const auto has = static_cast<double>(*passages);
      word.rarity = std::log(1 + (static_cast<double>(*count) - has + 0.5) / (has + 0.5));
    }
    std::erase_if(each.words, [](const ConceptWord& word) { return word.passages == 0; });
    for (const ConceptWord& word : each.words) {
      each.rarity = std::max(each.rarity, word.weight * word.rarity);
    }
  }
  std::erase_if(concepts, [](const Concept& each) { return each.words.empty(); });
  return concepts;
}

PassageScorer::PassageScorer(const std::vector<Concept>& concepts) : concepts_(concepts) {
  for (const Concept& each : concepts_) {
    for (const ConceptWord& word : each.words) {
      place_of_word_.push_back(places_.try_emplace(word.stem, places_.size()).first->second);
    }
  }
  counts_.resize(places_.size());
}

void PassageScorer::Count(const FieldTexts& fields) {
  std::fill(counts_.begin(), counts_.end(), std::array<double, kFields>{});
  lengths_ = {};
  for (std::size_t field = 0; field < kFields; ++field) {
    std::string_view rest = fields[field];
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const auto found = places_.find(rest.substr(0, end));
      if (found != places_.end()) ++counts_[found->second][field];
      if (end > 0) ++lengths_[field];
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

// Each field by its weight and length.
double PassageScorer::FrequencyOf(std::size_t place) const {
  double sum = 0;
  for (std::size_t field = 0; field < kFields; ++field) {
    const double count = counts_[place][field];
    if (count == 0) continue;
    const FieldRule& rule = kFieldRules[field];
    sum +=
        rule.weight * count / (1 - rule.normalise + rule.normalise * lengths_[field] / rule.length);
  }
  return sum;
}

double PassageScorer::ScoreOf(const FieldTexts& fields) {
  Count(fields);
  auto place = place_of_word_.begin();
  double score = 0;
  double covered = 0;
  double all = 0;
  for (const Concept& each : concepts_) {
    double best = 0;
    double rarity = 0;
    for (const ConceptWord& word : each.words) {
      const double frequency = FrequencyOf(*place++);
      const double worth = word.weight * word.rarity * frequency / (kSaturation + frequency);
      if (worth <= best) continue;
      best = worth;
      rarity = word.weight * word.rarity;
    }
    score += best;
    covered += rarity;
    all += each.rarity;
  }
  return all == 0 ? 0 : score * (0.4 + 0.6 * std::min(1.0, covered / all));
}

}  // namespace hone::agent
