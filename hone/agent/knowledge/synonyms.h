// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

namespace hone::agent {

// What people say, and what the kernel calls it: data/knowledge/synonyms.json.
class Synonyms {
 public:
  // Strict: an unknown member or an empty list is an Error.
  static Result<Synonyms> Read(const std::string& text, const std::string& what);

  static const Synonyms& BuiltIn();

  // A phrase of the question, and the stems that may stand for it.
  struct Match {
    std::vector<std::string> phrase;  // Stems.
    std::vector<std::string> also;    // Stems, one each.
  };
  std::vector<Match> In(const std::vector<std::string>& question_stems) const;

 private:
  std::vector<Match> entries_;  // One for each phrase.
};

}  // namespace hone::agent
