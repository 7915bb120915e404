// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/openai/text_filters.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hone/base/json/ordered_json.h"

namespace hone::llm {
namespace {

constexpr std::string_view kOpenCall = "<tool_call>";
constexpr std::string_view kCloseCall = "</tool_call>";
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::optional<ToolCall> ParseCall(std::string_view text, const char* arguments_name) {
  const auto json = ParseOrderedJson(Trimmed(text), "a tool call");
  if (!json || !json->is_object()) return std::nullopt;
  const auto name = json->find("name");
  const auto arguments = json->find(arguments_name);
  if (name == json->end() || !name->is_string() || arguments == json->end()) return std::nullopt;
  ToolCall call;
  call.name = name->get<std::string>();
  call.arguments = arguments->is_string() ? arguments->get<std::string>() : arguments->dump();
  return call;
}

}  // namespace

std::size_t HeldBack(std::string_view text, std::string_view word) {
  for (std::size_t size = std::min(text.size(), word.size() - 1); size > 0; --size) {
    if (text.ends_with(word.substr(0, size))) return size;
  }
  return 0;
}

std::string StopFilter::Add(std::string_view text) {
  if (has_stopped_) return "";
  held_ += text;
  std::size_t first = std::string::npos;
  std::size_t kept = 0;
  for (const std::string& word : words_) {
    if (word.empty()) continue;
    first = std::min(first, held_.find(word));
    kept = std::max(kept, HeldBack(held_, word));
  }
  has_stopped_ = first != std::string::npos;
  std::string shown = held_.substr(0, has_stopped_ ? first : held_.size() - kept);
  held_.erase(0, has_stopped_ ? held_.size() : shown.size());
  return shown;
}

std::string StopFilter::Finish() { return std::exchange(held_, ""); }

std::string ToolFilter::Add(std::string_view text) {
  if (!looks_for_calls_) return std::string(text);
  held_ += text;
  if (holds_all_) return "";
  const auto begin = held_.find_first_not_of(kBlanks);
  if (!has_begun_ && begin == held_.npos) return "";
  if (!has_begun_ && held_[begin] == '{') {
    holds_all_ = true;
    return "";
  }
  has_begun_ = true;
  const auto open = held_.find(kOpenCall);
  holds_all_ = open != held_.npos;
  std::string shown =
      held_.substr(0, holds_all_ ? open : held_.size() - HeldBack(held_, kOpenCall));
  held_.erase(0, shown.size());
  return shown;
}

void ToolFilter::ParseBlocks(std::string& rest) {
  std::size_t from = 0;
  while (true) {
    const auto open = rest.find(kOpenCall, from);
    if (open == rest.npos) return;
    const auto inside = open + kOpenCall.size();
    const auto close = std::min(rest.find(kCloseCall, inside), rest.size());
    const auto call = ParseCall(std::string_view(rest).substr(inside, close - inside), "arguments");
    if (!call) {
      from = inside;
      continue;
    }
    calls_.push_back(*call);
    rest.erase(open, std::min(close + kCloseCall.size(), rest.size()) - open);
    from = open;
  }
}

std::string ToolFilter::Finish() {
  std::string rest = std::exchange(held_, "");
  if (!looks_for_calls_) return rest;
  ParseBlocks(rest);
  if (calls_.empty() && holds_all_) {
    auto call = ParseCall(rest, "parameters");
    if (!call) call = ParseCall(rest, "arguments");
    if (call) {
      calls_.push_back(*call);
      return "";
    }
  }
  return calls_.empty() || !Trimmed(rest).empty() ? rest : "";
}

}  // namespace hone::llm
