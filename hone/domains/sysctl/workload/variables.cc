// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/variables.h"

#include <functional>

#include "hone/core/check.h"

namespace hone::sysctl {
namespace {

bool IsNameLetter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// The name in braces that starts at `at`; empty if there is none.
std::string_view NameAt(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '{') return {};
  std::size_t end = at + 1;
  while (end < text.size() && IsNameLetter(text[end])) ++end;
  if (end == at + 1 || end >= text.size() || text[end] != '}') return {};
  return text.substr(at + 1, end - at - 1);
}

bool IsDoubled(std::string_view text, std::size_t at, std::string_view name) {
  return at > 0 && text[at - 1] == '{' && text.substr(at + name.size() + 2).starts_with('}');
}

// Copies the text and lets the two functions write what stands for {name} and {{name}}.
using Write = std::function<std::string(std::string_view name)>;
std::string Rewritten(std::string_view text, const Write& single, const Write& doubled) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view name = NameAt(text, at);
    if (name.empty() || (at > 0 && text[at - 1] == '$')) {
      result += text[at++];
    } else if (IsDoubled(text, at, name)) {
      result.pop_back();
      result += doubled(name);
      at += name.size() + 3;
    } else {
      result += single(name);
      at += name.size() + 2;
    }
  }
  return result;
}

std::string InBraces(std::string_view name) { return "{" + std::string(name) + "}"; }

}  // namespace

std::vector<std::string> VariablesIn(std::string_view text) {
  std::vector<std::string> names;
  Rewritten(
      text,
      [&](std::string_view name) {
        names.emplace_back(name);
        return std::string();
      },
      InBraces);
  return names;
}

std::string Expand(std::string_view text, const std::map<std::string, std::string>& values) {
  return Rewritten(
      text,
      [&](std::string_view name) {
        const auto value = values.find(std::string(name));
        HONE_CHECK(value != values.end());
        return value->second;
      },
      InBraces);
}

std::string Escape(std::string_view text) {
  return Rewritten(
      text, [](std::string_view name) { return "{" + InBraces(name) + "}"; },
      [](std::string_view name) { return "{{" + InBraces(name) + "}}"; });
}

}  // namespace hone::sysctl
