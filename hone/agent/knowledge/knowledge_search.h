// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/passage.h"
#include "hone/core/result.h"

namespace hone::agent {

struct KnowledgeHit {
  Passage passage;
  double score = 0;               // Comparable within one answer.
  std::vector<std::string> also;  // Sources of other passages about the same name.
};

struct SearchOptions {
  std::size_t max = 10;
  std::vector<PassageKind> kinds = {};  // Empty: all.
};

// The passages that answer a question in plain words, best first.
//
// Each word of the question, with what synonyms.json has for it, is a concept. FTS5 gives the
// passages that have the rarer of the words (bm25); these are then judged by BM25F (Robertson,
// Zaragoza, Taylor 2004): for a concept c, idf(c) * tf / (k + tf), where tf sums the occurrences in
// name, title, topics and body, each with its weight and divided by the field's length; a synonym
// counts less than the word itself. A passage that has all concepts is better than one that has one
// of them often; its kind and its weight count too. A name that is in the question as it is comes
// first. Passages about one name are one hit.
Result<std::vector<KnowledgeHit>> SearchKnowledge(KnowledgeBase& base, std::string_view question,
                                                  const SearchOptions& options = {});

// Longer questions are cut.
inline constexpr std::size_t kMaxQuestion = 1'000;

}  // namespace hone::agent
