// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/evidence_json.h"

#include <algorithm>
#include <utility>

namespace hone {
namespace {

auto FirstOf(const std::vector<Evidence>& all, std::string_view what) {
  return std::ranges::find(all, what, &Evidence::what);
}

}  // namespace

Evidence MakeJsonEvidence(std::string what, const Json& json) {
  return {std::move(what), Dump(json)};
}

Json ReadJsonEvidence(const Evidence& evidence) {
  auto json = ParseJson(evidence.text, evidence.what);
  return json && json->is_object() ? std::move(*json) : Json();
}

Json FindJsonEvidence(const std::vector<Evidence>& all, std::string_view what) {
  const auto found = FirstOf(all, what);
  return found == all.end() ? Json() : ReadJsonEvidence(*found);
}

const std::string* FindEvidence(const std::vector<Evidence>& all, std::string_view what) {
  const auto found = FirstOf(all, what);
  return found == all.end() ? nullptr : &found->text;
}

}  // namespace hone
