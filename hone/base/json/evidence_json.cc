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

std::string WithoutSeenLines(std::string_view text, std::string_view seen) {
  constexpr std::size_t kMinLine = 8;  // A bracket or a blank line is no repetition.
  std::string fresh;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const bool is_seen = line.size() >= kMinLine && seen.find(line) != seen.npos;
    if (!is_seen) fresh += (fresh.empty() ? "" : "\n") + std::string(line);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return fresh;
}

}  // namespace hone
