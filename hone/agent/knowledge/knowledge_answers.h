// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/knowledge/knowledge_base.h"
#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/agent/knowledge/measured.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Answers as models read them, and as JSON for programs. Every piece names its source.
namespace hone::agent {

// Everything that is known of one name, and what was measured here.
struct NameAnswer {
  std::string name;
  std::vector<Passage> passages;
  std::vector<MeasuredEffect> effects;
  std::vector<std::string> near;  // Where nothing is known of it: names that may be meant.
};
Result<NameAnswer> ExplainName(KnowledgeBase& base, const std::vector<MeasuredEffect>& effects,
                               std::string_view name);

Json ToJson(const Passage& passage);
Json ToJson(const KnowledgeHit& hit);
Json ToJson(const NameAnswer& answer);

std::string ToText(const std::vector<KnowledgeHit>& hits, std::string_view question);
std::string ToText(const NameAnswer& answer);
std::string ToText(const std::vector<MeasuredEffect>& effects, std::string_view name);

}  // namespace hone::agent
