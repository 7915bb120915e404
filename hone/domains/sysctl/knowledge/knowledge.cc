// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/knowledge.h"

#include <algorithm>
#include <string_view>

#include "hone/core/check.h"
#include "hone/core/nearest.h"
#include "hone/domains/sysctl/knowledge/parameter_reader.h"
#include "hone/domains/sysctl/knowledge/parameter_texts.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kMaxLike = 5;
constexpr std::size_t kMinLetters = 3;

std::string_view LastPartOf(std::string_view name) {
  return name.substr(name.find_last_of(name.starts_with('/') ? "/" : "./") + 1);
}

}  // namespace

std::vector<std::string> FormsOf(const ParameterFacts& facts) {
  std::vector<std::string> forms{PathOfName(facts.name)};
  forms.reserve(1 + facts.aliases.size());
  for (const std::string& alias : facts.aliases) forms.push_back(PathOfName(alias));
  return forms;
}

const Knowledge& Knowledge::Builtin() {
  static const auto* const builtin = [] {
    auto read = Read(ParameterTexts());
    HONE_CHECK(read.has_value());  // knowledge_test reads them first, and tells what is wrong.
    return new Knowledge(std::move(*read));
  }();
  return *builtin;
}

Result<Knowledge> Knowledge::Read(const std::vector<EmbeddedFile>& documents) {
  Knowledge knowledge;
  for (const auto& [name, text] : documents) {
    auto some = ReadParameters(std::string(text), std::string(name));
    if (!some) return some.error();
    std::move(some->begin(), some->end(), std::back_inserter(knowledge.all_));
  }
  if (auto checked = CheckTogether(knowledge.all_); !checked) return checked.error();
  return knowledge;
}

const ParameterFacts* Knowledge::Find(const std::string& name) const {
  const std::string path = PathOfName(name);
  const ParameterFacts* covering = nullptr;
  for (const ParameterFacts& facts : all_) {
    for (const std::string& form : FormsOf(facts)) {
      if (form == path) return &facts;
      if (covering == nullptr && MatchPattern(form, path)) covering = &facts;
    }
  }
  return covering;
}

std::vector<std::string> Knowledge::Like(const std::string& name) const {
  std::vector<std::string> same_end;
  std::vector<std::string> all;
  std::vector<std::string> containing;
  const std::string_view end = LastPartOf(name);
  for (const ParameterFacts& facts : all_) {
    all.push_back(facts.name);
    all.insert(all.end(), facts.aliases.begin(), facts.aliases.end());
    if (LastPartOf(facts.name) == end) same_end.push_back(facts.name);
    if (end.size() >= kMinLetters && facts.name.find(end) != std::string::npos) {
      containing.push_back(facts.name);
    }
  }
  std::vector<std::string> like = same_end;
  if (auto nearest = Nearest(name, all)) like.push_back(std::move(*nearest));
  like.insert(like.end(), containing.begin(), containing.end());
  std::vector<std::string> unique;
  for (std::string& one : like) {
    if (unique.size() == kMaxLike) break;
    if (std::find(unique.begin(), unique.end(), one) == unique.end()) {
      unique.push_back(std::move(one));
    }
  }
  return unique;
}

}  // namespace hone::sysctl
